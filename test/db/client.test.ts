import { once } from 'node:events';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../../src/db/connections/client.ts';
import { openTestDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(openTestDatabase);

const connected = async (settings: { readonly answerMs?: number } = {}): Promise<Client> => {
  const client = new Client({ connectionString: database.url, ...settings });
  client.on('error', () => {});
  await client.connect();
  return client;
};

describe('a connection', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connected();
  });
  afterAll(() => client.end());

  it('answers a text, one with values and a named one, by a promise', async () => {
    const texts = await client.query<{ n: number }>('select 1 as n');
    const values = await client.query<{ n: number }>('select $1::int as n', [2]);
    const named = await client.query({ name: 'n', text: 'select $1::int as n', values: [3] });

    expect([texts, values, named].map(({ rows }) => rows)).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
      [{ n: 3 }],
    ]);
  });

  it('answers whoever gives it a function, with and without values', async () => {
    const ask = (...given: unknown[]) =>
      new Promise((resolve) => {
        const query = client.query.bind(client) as (...all: unknown[]) => unknown;
        query(...given, (error: unknown, result: pg.QueryResult) =>
          resolve(error ?? result.rows[0]),
        );
      });

    expect(await ask('select 1 as n')).toEqual({ n: 1 });
    expect(await ask({ text: 'select $1::int as n', values: [2] })).toEqual({ n: 2 });
    expect(await ask('select $1::int as n', [3])).toEqual({ n: 3 });
    expect(await ask('select nothing')).toMatchObject({ code: '42703' });
  });

  it('says who asked what the server refuses', async () => {
    const asking = async () => await client.query('select nothing');

    const refusal = asking();

    await expect(refusal).rejects.toMatchObject({
      code: '42703',
      stack: expect.stringContaining('asking'),
    });
  });

  it('runs what the driver runs by itself', async () => {
    const query = new pg.Query('select 1 as n');
    const rows: unknown[] = [];
    query.on('row', (row) => rows.push(row));
    client.query(query);
    await once(query, 'end');

    expect(rows).toEqual([{ n: 1 }]);
  });

  /** Until all memory is collected: what is only for a moment goes with the next young collection. */
  it('keeps no answer after it was given', async () => {
    v8.setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (wish: { type: 'minor' }) => void;
    const old = () =>
      v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')
        ?.space_used_size ?? 0;
    const many = async (questions: number) => {
      for (let n = 0; n < questions; n++)
        await client.query({ name: 'long', text: "select repeat('x', 5000) as long" });
      collect({ type: 'minor' });
      collect({ type: 'minor' });
    };
    await many(1_000);
    const before = old();

    await many(1_000);

    expect(old() - before).toBeLessThan(1_000_000);
  });
});

it('An answer that does not come in time is given up, and its connection with it', async () => {
  const client = await connected({ answerMs: 200 });
  const ended = new Promise<void>((resolve) => client.once('end', resolve));

  await expect(client.query('select pg_sleep(20)')).rejects.toThrow('Query read timeout');
  await ended;

  await expect(client.query('select 1')).rejects.toThrow(/not queryable/);
});

it('One question may have longer than the others', async () => {
  const client = await connected({ answerMs: 200 });

  const slow = { text: 'select pg_sleep(0.4)', answerMs: 10_000 };

  await expect(client.query(slow)).resolves.toMatchObject({ rowCount: 1 });
  await client.end();
});
