import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { countRefusal, countRequest } from '../../src/oauth/limits.ts';
import { aFlow, refresh, tokensOf } from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let sql: Sql;
let counting: Parameters<typeof countRequest>[0];
beforeAll(async () => {
  scene = await openOAuthScene();
  sql = sqlOver(scene.database.system as Parameters<typeof sqlOver>[0]);
  counting = { sql, keyring: scene.keyring };
});
afterAll(() => scene.close());

/** A request that is answered by a refusal. */
async function failing(...asked: [kind: 'token', address: string, client: string]): Promise<void> {
  const counter = await countRequest(counting, ...asked);
  if (counter !== null) await countRefusal(sql, counter);
}

const refusals = async (): Promise<number> => {
  const [row] = await sql.rows<{ count: number }>(
    "select coalesce(sum(total), 0)::int as count from rate_windows where credential_id like 'oauth-token-client-%'",
  );
  return row?.count ?? 0;
};

/** How many of so many requests are let through. */
async function through(count: number, ask: () => Promise<unknown>): Promise<number> {
  let passed = 0;
  for (let i = 0; i < count; i++)
    await ask().then(
      () => {
        passed += 1;
      },
      (error: unknown) => expect(error).toMatchObject({ code: 'rate_limited' }),
    );
  return passed;
}

describe('within a minute', () => {
  it('a client is refused 240 times from one address and then has to wait, which stops nobody else', async () => {
    const fail = (address: string, client: string) => () => failing('token', address, client);

    expect(await through(250, fail('203.0.113.9', 'app_one'))).toBe(240);
    expect(await through(10, fail('203.0.113.9', 'app_two'))).toBe(10);
    expect(await through(10, fail('203.0.113.10', 'app_one'))).toBe(10);
  });

  it('an app may renew as many connections as its address may ask for, because only refusals count', async () => {
    const person = await aPerson(scene);
    const flow = aFlow(scene, await anApp(person.ctx));
    const { refresh_token: token = '' } = await tokensOf(scene, flow, person);
    const before = await refusals();
    const renewed = await refresh(scene, flow, token);
    const after = await refusals();
    await refresh(scene, flow, 'guessed');
    await refresh(scene, { ...flow, secret: 'guessed' }, token);

    expect([renewed.status, after]).toEqual([200, before]);
    expect(await refusals()).toBe(before + 2);
    const ask = (): Promise<unknown> => countRequest(counting, 'token', '203.0.113.40', 'app_many');
    expect(await through(300, ask)).toBe(300);
  });

  it('an address may do so 600 times for all clients together, and begin 120 requests of people', async () => {
    let client = 0;
    const anybody = (): Promise<unknown> =>
      countRequest(counting, 'token', '203.0.113.20', `app_${client++}`);
    const person = (): Promise<unknown> =>
      countRequest(counting, 'authorize', '203.0.113.20', null);

    expect(await through(610, anybody)).toBe(600);
    expect(await through(130, person)).toBe(120);
  });

  it('nobody can work out which claimed client and address share the counter of another', async () => {
    const victim = ['203.0.113.33', 'app_victim'] as const;
    const guessed = (address: string, client: string): number =>
      createHash('sha256').update(`${client} ${address}`).digest().readUInt32BE() % 65_536;
    let i = 0;
    while (guessed('203.0.113.66', `app_${i}`) !== guessed(...victim)) i += 1;

    expect(await through(250, () => failing('token', '203.0.113.66', `app_${i}`))).toBe(240);
    expect(await through(10, () => countRequest(counting, 'token', ...victim))).toBe(10);
  });

  it('each place that anybody may call counts, and says when to come again', async () => {
    const { status, headers, body } = await everyPlace();
    expect(status.filter((one) => one === 429)).toEqual([]);
    expect([headers.length, body.length]).toEqual([PLACES.length, PLACES.length]);

    const counters = await sql.rows<{ id: string }>(
      "select credential_id as id from rate_windows where credential_id like 'oauth-%' and credential_id not like '%-client-%'",
    );
    for (const { id } of counters)
      await sql.rows('select wms.take_request($1, 600) from generate_series(1, 600)', [id]);
    const after = await everyPlace();

    expect(after.status).toEqual(PLACES.map(() => 429));
    for (const one of after.headers) expect(Number(one.get('retry-after'))).toBeGreaterThan(0);
    expect(after.body.filter((one) => !/temporarily_unavailable|rate_limited/.test(one))).toEqual(
      [],
    );
  });
});

const PLACES = [
  ['GET', 'authorize'],
  ['POST', 'token'],
  ['POST', 'par'],
  ['POST', 'introspect'],
  ['POST', 'revoke'],
  ['POST', 'register'],
  ['GET', 'userinfo'],
  ['POST', 'userinfo'],
] as const;

async function everyPlace() {
  const answers = [];
  for (const [method, place] of PLACES)
    answers.push(
      await fetch(`${scene.issuer}/oauth2/${place}`, {
        method,
        ...(method === 'POST' ? { body: new URLSearchParams({ token: 'x' }) } : {}),
      }),
    );
  return {
    status: answers.map(({ status }) => status),
    headers: answers.map(({ headers }) => headers),
    body: await Promise.all(answers.map((answer) => answer.text())),
  };
}
