import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { death, dies } from './support/acts.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
const MESSAGES = 40;

interface Row {
  readonly id: string;
  readonly status: string;
}

const messages = (stage: ChaosStage): Promise<Row[]> =>
  stage.rows<Row>(`select id, status from messages where source = 'api' order by id`);

async function settled(stage: ChaosStage): Promise<Row[]> {
  let rows: Row[] = [];
  const isOver = async (): Promise<boolean> => {
    rows = await messages(stage);
    return rows.every(({ status }) => status !== 'queued' && status !== 'sending');
  };
  await eventually(isOver, {
    timeoutMs: 180_000,
    everyMs: 200,
    instead: () => JSON.stringify(rows),
  });
  return rows;
}

/** Messages over HTTP; the worker dies at the point while it sends them, and another one is started. */
async function dieSending(stage: ChaosStage, point: string): Promise<void> {
  const { processes } = stage;
  const [api, worker] = await Promise.all([
    processes.start('api'),
    processes.start('worker', dies(point, 9)),
  ]);
  const [number] = await stage.rows<{ id: string }>('select id from numbers limit 1');
  for (const contact of await stage.people(MESSAGES)) {
    const body = { number_id: number?.id, contact_id: contact, text: 'Pronto' };
    const reply = await stage.call(api, 'POST', '/messages', { body });
    expect(reply.status).toBe(201);
  }
  await death(worker);
  await processes.start('worker');
}

describe('messages that are sent one by one', () => {
  it.concurrent(
    'a worker killed before a call: what it had begun is unconfirmed and never sent, everything else goes once',
    () =>
      onChaosStage({}, async (stage) => {
        await dieSending(stage, 'after-reserve');

        const rows = await settled(stage);
        const accepted = await stage.processes.simulator.accepted();
        const keys = accepted.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        const lost = rows.filter(({ status }) => status === 'unconfirmed');
        expect(lost.length).toBeGreaterThanOrEqual(1);
        expect(keys.length).toBe(MESSAGES - lost.filter(({ id }) => !keys.includes(id)).length);
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'a worker killed after WhatsApp accepted: nothing twice, and the status webhook says that it was sent',
    () =>
      onChaosStage({}, async (stage) => {
        await dieSending(stage, 'after-gateway-accept');

        await settled(stage);
        const accepted = await stage.processes.simulator.accepted();
        const keys = accepted.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) {
          const [row] = (await messages(stage)).filter(({ id }) => id === key);
          expect(['sent', 'delivered', 'read', 'unconfirmed']).toContain(row?.status);
        }
      }),
    LIMIT_MS,
  );
});
