import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  aFlow,
  authorizeUrl,
  type Flow,
  refresh,
  type Tokens,
  tokensOf,
} from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

const PLACES = ['token', 'par', 'revoke', 'introspect', 'register', 'userinfo'] as const;
const LATER = {
  status: 503,
  error: 'temporarily_unavailable',
  description: 'string',
  retryAfter: '1',
  cors: '*',
};

let scene: OAuthScene;
let flow: Flow;
let tokens: Tokens;
let owner: pg.Client;
beforeAll(async () => {
  scene = await openOAuthScene();
  const person = await aPerson(scene);
  flow = aFlow(scene, await anApp(person.ctx));
  tokens = await tokensOf(scene, flow, person);
  owner = new pg.Client({ connectionString: scene.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await scene.close();
});

/** What a client of OAuth looks at: with anything else as an error, some give up their refresh token. */
async function seen(response: Response) {
  const { error, error_description: description } = (await response.json()) as Record<
    string,
    unknown
  >;
  return {
    status: response.status,
    error,
    description: typeof description,
    retryAfter: response.headers.get('retry-after'),
    cors: response.headers.get('access-control-allow-origin'),
  };
}

const ask = (place: string, method = 'POST', languages = 'en'): Promise<Response> =>
  fetch(`${scene.issuer}/oauth2/${place}`, {
    method,
    headers: {
      accept: 'application/json, application/problem+json',
      'accept-language': languages,
    },
    ...(method === 'POST'
      ? { body: new URLSearchParams({ client_id: flow.clientId, token: 'x' }) }
      : {}),
  });

async function everywhere() {
  const all = [];
  for (const place of PLACES) all.push(await seen(await ask(place)));
  return all;
}

const stillRenews = async (): Promise<void> => {
  const said = await refresh(scene, flow, tokens.refresh_token ?? '');
  expect(said.status).toBe(200);
  tokens = said.body;
};

describe('while the database is away', () => {
  let superuser: pg.Client;
  let name: string;
  beforeEach(async () => {
    superuser = new pg.Client({ connectionString: process.env['TEST_PG_URL'] });
    await superuser.connect();
    name = new URL(scene.databaseUrl).pathname.slice(1);
    owner.on('error', () => {});
    await superuser.query(`alter database ${name} allow_connections false`);
    const end = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
    await superuser.query(end, [name]);
  });
  afterEach(async () => {
    await superuser.query(`alter database ${name} allow_connections true`);
    await superuser.end();
    owner = new pg.Client({ connectionString: scene.databaseUrl });
    await owner.connect();
  });

  it('every place says in the words of OAuth to come again', async () => {
    expect(await everywhere()).toEqual(PLACES.map(() => LATER));
  });
});

describe('while a query of the library fails', () => {
  beforeEach(() => owner.query('alter table oauth_artifacts rename to hidden'));
  afterEach(() => owner.query('alter table hidden rename to oauth_artifacts'));

  it('the token endpoint says so too', async () => {
    const said = await refresh(scene, flow, tokens.refresh_token ?? '');

    expect([said.status, said.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(typeof said.body.error_description).toBe('string');
    expect(said.headers.get('retry-after')).toBe('1');
  });

  it('a person who connects an app is told to try again, and not that the app asked wrongly', async () => {
    const asked = await fetch(authorizeUrl(scene, flow), { redirect: 'manual' });

    expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await asked.text()).toContain('<h1>Please try again shortly</h1>');
  });
});

describe('while more requests come than can be served', () => {
  const wait = (): number => 5_000;
  let before: () => number;
  beforeEach(() => {
    const { reads } = scene.database.turns;
    before = reads.wait;
    reads.wait = wait;
  });
  afterEach(() => {
    scene.database.turns.reads.wait = before;
  });

  it('every place says so in the words of OAuth, and a person sees a page', async () => {
    expect(await everywhere()).toEqual(PLACES.map(() => LATER));
    const person = await ask('authorize', 'GET');
    expect([person.status, person.headers.get('content-type')]).toEqual([
      503,
      'text/html; charset=utf-8',
    ]);
    expect(person.headers.get('access-control-allow-origin')).toBeNull();
    expect(await person.text()).toContain('<h1>Please try again shortly</h1>');
    const portuguese = await ask('authorize', 'GET', 'pt-BR');
    const text = await portuguese.text();
    expect(text).toContain('<h1>Tente de novo daqui a pouco</h1>');
    expect(text).not.toContain('pedido que não pode ser atendido');
  });
});

describe('afterwards', () => {
  it('the refresh token is good as before', stillRenews);
});

it('another method is refused in the words of OAuth', async () => {
  const refused = await ask('token', 'PUT');

  expect([refused.headers.get('allow'), await seen(refused)]).toEqual([
    'POST',
    { ...LATER, status: 405, error: 'invalid_request', retryAfter: null },
  ]);
});
