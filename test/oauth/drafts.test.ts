import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressOf, everyRoute, exampleBody, nameOf } from '../support/every-route.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { callAt, type Reply } from '../support/http.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFlow, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

/** The calls that no API key may make (specification, API keys). */
const drafts = everyRoute.filter((route) => route.kind === 'write' && route.apiKeys === false);

let scene: OAuthScene;
let person: Person;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
});
afterAll(() => scene.close());

interface Entry {
  readonly target: { readonly id: string };
  readonly actor: Record<string, unknown>;
}

const entries = (): Promise<Entry[]> =>
  rowsOf<Entry>(person.ctx, 'select target, actor from audit_entries order by seq');

it('the calls for apps alone are those of the specification', () => {
  expect(drafts.map(nameOf).toSorted()).toEqual([
    'POST /v1/automations',
    'POST /v1/forms',
    'POST /v1/segments/rules',
  ]);
});

describe.each(drafts.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const make = (key: string): Promise<Reply> =>
    callAt(scene.baseUrl, route.method, addressOf(route, ''), { key, body: exampleBody(route) });

  it('makes a draft for an app that a person let in, and the log names both', async () => {
    const reading = route.scope.replace(':write', ':read');
    const app = await anApp(person.ctx, [route.scope, reading]);
    const flow = aFlow(scene, app, { scope: `${route.scope} ${reading}` });
    const { access_token: token } = await tokensOf(scene, flow, person);

    const made = await make(token);

    expect(made).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    const { id } = made.body as { id: string };
    const kept = `/api${route.path.replace('/rules', '')}/${id}`;
    const read = await callAt(scene.baseUrl, 'GET', kept, { key: token });
    expect(read).toMatchObject({ status: 200, body: { id } });
    const entry = (await entries()).find(({ target }) => target.id === id);
    expect(entry?.actor).toMatchObject({ type: 'app', id: app.id, member_id: person.memberId });
  });

  it('refuses an API key with every scope, and makes nothing', async () => {
    const { key } = await anApiKey(person.ctx);
    const before = await entries();

    const refused = await make(key);

    expect([refused.status, refused.body.error.code]).toEqual([403, 'oauth_required']);
    expect(await entries()).toEqual(before);
  });
});
