import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureDemo } from '../../src/embedded/demo/workspace.ts';
import { type RunFile, writeRunFile } from '../../src/embedded/run-file.ts';
import { everyRoute, nameOf } from '../support/every-route.ts';
import { testKeyring } from '../support/factories/numbers.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

let door: OpenDoor;
let key: string;
let workspaceId: string;
/** Of a start that was killed before its commit. */
const LOST = 'org_01M8HAZ6DPZG5JW35QMD7H32CM';
const DATABASE = 'postgres://127.0.0.1/demo';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-demo-'));

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  const { database, api } = door;
  const demo = { workspaceId: LOST, numberId: 'num_1', phoneNumberId: null, apiKey: 'sk_live_0' };
  writeRunFile(folder, { databaseUrl: DATABASE, demo } as RunFile);
  ({ apiKey: key, workspaceId } = await ensureDemo(
    {
      contexts: { database, wake: () => {} },
      keyring: testKeyring,
      clock: api.deps.clock,
      baseUrl: 'http://localhost:3000',
    },
    { databaseUrl: DATABASE },
    folder,
  ));
});
afterAll(async () => {
  await door.close();
  fs.rmSync(folder, { recursive: true });
});

const get = async (path: string) => {
  const answer = await door.api.call('GET', `/api${path}`, { key });
  expect([path, answer.status, answer.body?.error]).toEqual([path, 200, undefined]);
  return answer.body;
};

/** Lists that are empty in a new shop, each for a reason. */
const EMPTY: Readonly<Record<string, string>> = {
  'GET /v1/webhooks': 'an endpoint needs a receiver: "wms demo" brings its own',
  'GET /v1/templates': 'WhatsApp keeps them: the running service reads them from the simulator',
  'GET /v1/contacts/imports': 'nobody has brought a file',
};

describe('the demo workspace', () => {
  it('is made where the run file names one that is not there', () => {
    expect(workspaceId).not.toBe(LOST);
  });

  it('is found again where the server has another port, and made anew in any other database', async () => {
    const { database, api } = door;
    const there = { workspaceId, numberId: 'num_1', phoneNumberId: null, apiKey: key };
    writeRunFile(folder, {
      databaseUrl: 'postgres://w:a@127.0.0.1:1/demo',
      demo: there,
    } as RunFile);
    const foundAt = (databaseUrl: string) =>
      ensureDemo(
        {
          contexts: { database, wake: () => {} },
          keyring: testKeyring,
          clock: api.deps.clock,
          baseUrl: 'http://localhost:3000',
        },
        { databaseUrl },
        folder,
        () => {
          throw new Error('made anew');
        },
      );

    expect(await foundAt('postgres://w:a@127.0.0.1:2/demo')).toEqual(there);
    const others = ['w:b@127.0.0.1:1/demo', 'w:a@127.0.0.1:1/other', 'w:a@db:1/demo'];
    for (const other of others)
      await expect(foundAt(`postgres://${other}`)).rejects.toThrow('made anew');
  });

  it('looks like a business: customers, numbers, members and teams', async () => {
    expect((await get('/v1/contacts?limit=100')).data).toHaveLength(40);
    expect((await get('/v1/numbers')).data).toHaveLength(2);
    expect((await get('/v1/teams')).data).toHaveLength(2);
    expect((await get('/v1/members')).data).toHaveLength(4);
    expect((await get('/v1/conversations?limit=100')).data.length).toBeGreaterThan(25);
  });

  const lists = everyRoute.filter((route) => route.kind === 'list' && !route.id);
  it.each(lists.map((route) => [nameOf(route), route] as const))(
    '%s has something to show, or a reason why not',
    async (name, route) => {
      const { data } = await get(route.path);

      expect(data.length > 0).toBe(EMPTY[name] === undefined);
    },
  );

  it('has deals in its pipeline, answers to its form and runs of its automation', async () => {
    const first = async (path: string): Promise<string> => (await get(path)).data[0].id;

    const pipeline = await get(`/v1/pipelines/${await first('/v1/pipelines')}/deals`);
    const submissions = await get(`/v1/forms/${await first('/v1/forms')}/submissions`);
    const runs = await get(`/v1/automations/${await first('/v1/automations')}/runs`);

    const statuses = new Set(pipeline.data.map(({ status }: { status: string }) => status));
    expect(statuses).toEqual(new Set(['open', 'won', 'lost']));
    expect([submissions.data.length, runs.data.length]).toEqual([9, 24]);
  });

  it('knows of its customers when they last wrote, so that segments by it tell them apart', async () => {
    const { data: contacts } = await get('/v1/contacts?limit=100');
    const heard = contacts.filter((one: { last_inbound_at: string | null }) => one.last_inbound_at);
    const { data: segments } = await get('/v1/segments');
    const quiet = segments.find(({ name }: { name: string }) => name.startsWith('Sem novidades'));

    expect(heard.length).toBeGreaterThan(20);
    expect(quiet.count).toBeGreaterThan(0);
    expect(quiet.count).toBeLessThan(40);
  });

  it('has reports with figures', async () => {
    const automation = await get('/v1/reports/automation');
    const numbers = await get('/v1/reports/numbers');

    expect(automation).toMatchObject({
      count: expect.any(Number),
      automations: [{ name: 'Boas-vindas' }],
    });
    expect(automation.count).toBeGreaterThan(5);
    expect(automation.ai_seconds).toBeGreaterThan(0);
    expect(automation.questions.length).toBeGreaterThan(1);
    expect(numbers.delivered).toBeGreaterThan(80);
    expect(numbers.reasons.no_whatsapp).toBeGreaterThan(0);
    expect(numbers.previous.attempted).toBeGreaterThan(0);
  });

  it('has runs that took place in conversations, so that a report of one number counts them', async () => {
    const runsOf = async (query: string): Promise<number> =>
      (await get(`/v1/reports/automation${query}`)).automations[0].runs;
    const { data: numbers } = await get('/v1/numbers');

    const each = await Promise.all(
      numbers.map(({ id }: { id: string }) => runsOf(`?number=${id}`)),
    );

    expect(Math.min(...each)).toBeGreaterThan(0);
    expect(each.reduce((sum, runs) => sum + runs, 0)).toBe(await runsOf(''));
  });

  it('shows past campaigns whose figures add up', async () => {
    const { data } = await get('/v1/campaigns?status=done');
    expect(data).toHaveLength(3);
    for (const { id } of data) {
      const { audience, results } = await get(`/v1/campaigns/${id}`);
      expect(audience).toMatchObject({ status: 'frozen', total: 40, eligible: 40 });
      expect(results.read + results.delivered + results.failed).toBe(40);
    }
  });
});
