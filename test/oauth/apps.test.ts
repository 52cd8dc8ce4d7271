import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { memberActor } from '../../src/members/actors.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { answerReview, appsInReview, requestReview } from '../../src/oauth/apps/reviews.ts';
import {
  changeApp,
  createApp,
  getApp,
  listApps,
  rotateAppSecret,
  type SecretRotation,
} from '../../src/oauth/apps/service.ts';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { ask } from './support/browser.ts';
import { aFlow, authorizeUrl, exchange } from './support/client.ts';
import { anApp, aPerson, type Person, REDIRECT } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
});
afterAll(() => scene.close());

const read = <T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> =>
  transact(ctx, work);
const input = { name: 'Planilhas', redirectUris: [REDIRECT], scopes: ['contacts:read'] };

/** The next time the person looks, so much later. */
const later = (ctx: Context, ms: number): Context => ({ ...ctx, now: new Date(+ctx.now + ms) });

/** Whether the secret is the client's: a code that nobody gave is what is refused then. */
const works = async (id: string, secret: string): Promise<boolean> =>
  (await exchange(scene, aFlow(scene, { id, secret }), 'none')).body.error === 'invalid_grant';

/** The team of the service looks at the app as it is, and finds it good. */
async function verify(ctx: Context, id: string): Promise<void> {
  const waiting = await appsInReview(scene.database);
  const mark = waiting.find((app) => app.id === id)?.mark ?? '';
  await answerReview(ctx, id, { verified: true, mark });
}

describe('an app of the developer settings', () => {
  it('is created with a secret that is shown once, and listed without it', async () => {
    const { ctx } = await aPerson(scene);
    const { id, secret } = await createApp(ctx, input);

    expect(id).toMatch(/^app_/);
    expect(secret).toMatch(/^cs_live_[\w-]{43}$/);
    const [app] = await read(ctx, listApps);
    expect(app).toMatchObject({
      id,
      name: 'Planilhas',
      redirect_uris: [REDIRECT],
      scopes: ['contacts:read'],
      verification: 'unverified',
      secret_prefix: secret.slice(0, 12),
      previous_secret_valid_until: null,
    });
    expect(JSON.stringify(app)).not.toContain(secret);
    expect(await works(id, secret)).toBe(true);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a\u202Eb' }, 'name'],
    [{ name: '\u3164\u3164' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ redirectUris: [] }, 'redirect_uris'],
    [
      { redirectUris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) },
      'redirect_uris',
    ],
    [{ redirectUris: [REDIRECT, 'http://app.example/cb'] }, 'redirect_uris[1]'],
    [{ redirectUris: ['https://a.example/#x'] }, 'redirect_uris[0]'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['contacts:read', 'everything'] }, 'scopes'],
  ])('is refused with %j', async (changes, path) => {
    await expect(createApp(person.ctx, { ...input, ...changes })).rejects.toMatchObject({
      code: 'validation',
      details: [{ path }],
    });
  });

  it('is seen and changed by its own workspace, and there by Owner and Admin alone', async () => {
    const { id } = await anApp(person.ctx);
    const stranger = await aPerson(scene);
    const { memberId } = await aPerson(scene, { ctx: person.ctx, role: 'agent' });
    const actor = await read(person.ctx, ({ sql, organizationId }) =>
      memberActor(sql, organizationId, memberId, { credentialId: 'ses_x', app: null }),
    );
    if (!actor) throw new Error('no actor');
    const agent = { ...person.ctx, actor };

    await expect(read(stranger.ctx, (tx) => getApp(tx, id))).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(deleteApp(scene.database, stranger.ctx, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(createApp(agent, input)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(read(agent, listApps)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(rotateAppSecret(agent, id, { signedInAt: agent.now })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('a secret', () => {
  const rotate = (id: string, changes: Partial<SecretRotation> = {}, ctx = person.ctx) =>
    rotateAppSecret(ctx, id, { signedInAt: ctx.now, ...changes });

  it('is rotated: the one before works for 24 hours, and the one before that no more', async () => {
    const { id, secret } = await anApp(person.ctx);
    const second = await rotate(id);
    expect(await works(id, secret)).toBe(true);
    expect(await works(id, second.secret)).toBe(true);

    const third = await rotate(id);
    expect(await works(id, secret)).toBe(false);
    expect(await works(id, second.secret)).toBe(true);
    const past = later(person.ctx, -24 * 3_600_000 - 1_000);
    await rotate(id, {}, past);
    expect(await works(id, third.secret)).toBe(false);
  });

  it('is revoked at once when the rotation says so', async () => {
    const { id, secret } = await anApp(person.ctx);
    const next = await rotate(id, { revokePrevious: true });

    expect(await works(id, secret)).toBe(false);
    expect(await works(id, next.secret)).toBe(true);
  });

  it('is rotated only by who signed in within the last 10 minutes', async () => {
    const { id, secret } = await anApp(person.ctx);
    const minutesAgo = (minutes: number): Date => new Date(+person.ctx.now - minutes * 60_000);

    await expect(rotate(id, { signedInAt: new Date(+minutesAgo(10) - 1) })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await works(id, secret)).toBe(true);
    await rotate(id, { signedInAt: minutesAgo(10) });
  });
});

describe('a review', () => {
  it('is asked for with how data is used, answered once, and undone by another redirect domain or name', async () => {
    const { ctx } = person;
    const { id } = await anApp(ctx);
    await expect(requestReview(ctx, id, ' ')).rejects.toMatchObject({ code: 'validation' });
    await requestReview(ctx, id, 'Reads contacts into a sheet.');
    await expect(requestReview(ctx, id, 'Again.')).rejects.toMatchObject({ code: 'invalid_state' });
    await verify(ctx, id);
    await expect(answerReview(ctx, id, { verified: false })).rejects.toMatchObject({
      code: 'invalid_state',
    });

    const verification = async () => (await read(ctx, (tx) => getApp(tx, id))).verification;
    await changeApp(ctx, id, { ...input, redirectUris: ['https://app.example.com/other'] });
    expect(await verification()).toBe('verified');
    await changeApp(ctx, id, { ...input, redirectUris: ['https://app.example.com/third'] });
    expect(await verification()).toBe('verified');
    await changeApp(ctx, id, {
      ...input,
      name: 'Workspace Messaging',
      redirectUris: ['https://app.example.com/third'],
    });
    expect(await verification()).toBe('unverified');
    await requestReview(ctx, id, 'Under its new name.');
    await changeApp(ctx, id, input);
    expect(await verification()).toBe('in_review');
    await verify(ctx, id);
    await changeApp(ctx, id, { ...input, redirectUris: ['https://evil.example/cb'] });
    expect(await verification()).toBe('unverified');
  });

  it('that was refused may be asked for again after 7 days', async () => {
    const { ctx } = person;
    const { id } = await anApp(ctx);
    await requestReview(ctx, id, 'Reads contacts.');
    await answerReview(ctx, id, { verified: false, note: 'Say which contacts.' });

    expect(await read(ctx, (tx) => getApp(tx, id))).toMatchObject({
      verification: 'rejected',
      review_note: 'Say which contacts.',
    });
    await expect(requestReview(ctx, id, 'All of them.')).rejects.toMatchObject({
      code: 'conflict',
    });
    await requestReview(later(ctx, 7 * 24 * 3_600_000), id, 'Those with a tag.');
  });
});

async function connectTo(app: { id: string; secret: string }, who: Person): Promise<number> {
  const browser = new CookieBrowser();
  const { page } = await ask(browser, authorizeUrl(scene, aFlow(scene, app)));
  const headers = { 'x-test-approval': JSON.stringify(who.approval(['contacts:read'])) };
  return (await browser.fetch(page, { method: 'POST', headers })).status;
}

describe('an app that is not verified', () => {
  it('connects to its own workspace and ten more, also when many connect at the same time', async () => {
    const app = await anApp(person.ctx);
    const connect = (who: Person): Promise<number> => connectTo(app, who);
    const people = await Promise.all(Array.from({ length: 14 }, () => aPerson(scene)));
    const statuses = await Promise.all(people.map(connect));

    expect(statuses.filter((status) => status === 303)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
    expect(await connect(person)).toBe(303);
    const connected = people[statuses.indexOf(303)];
    if (connected) expect(await connect(connected)).toBe(303);
    await requestReview(person.ctx, app.id, 'Reads contacts.');
    await verify(person.ctx, app.id);
    const late = people[statuses.indexOf(409)];
    if (late) expect(await connect(late)).toBe(303);
  });

  it('any more connects again, and to other members, wherever it is connected, and nowhere else', async () => {
    const app = await anApp(person.ctx);
    await requestReview(person.ctx, app.id, 'Reads contacts.');
    await verify(person.ctx, app.id);
    const people = await Promise.all(Array.from({ length: 12 }, () => aPerson(scene)));
    for (const who of people) expect(await connectTo(app, who)).toBe(303);
    const redirectUris = ['https://elsewhere.example.com/callback', REDIRECT];
    const scopes = ['contacts:read', 'contacts:write'];
    await changeApp(person.ctx, app.id, { name: 'Planilhas', redirectUris, scopes });

    const [first] = people;
    const colleague = await aPerson(scene, first ? { ctx: first.ctx } : {});
    for (const who of [first, colleague, person])
      if (who) expect(await connectTo(app, who)).toBe(303);
    expect(await connectTo(app, await aPerson(scene))).toBe(409);
  });
});
