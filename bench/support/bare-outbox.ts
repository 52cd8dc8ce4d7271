import pg from 'pg';
import { startChild, until } from '../../test/support/processes/child.ts';
import { cpuOf, meter, type Watched } from './cpu.ts';
import type { Receiver } from './programs.ts';
import { steadily } from './steady.ts';
import type { Target } from './webhook-stage.ts';

const TABLES = `
  create table bare_outbox (id text primary key, body text not null);
  create table bare_deliveries (id text primary key, body text not null, sent_at timestamptz)`;
/** Long enough at an even pace for earlier garbage to be collected and hot code to be compiled. */
export const SETTLING_SECONDS = 15;
const KEEP = 'insert into bare_outbox (id, body) values ($1, $2)';

export interface BareOutbox {
  readonly databaseUrl: string;
  readonly postgres: Watched;
  readonly receiver: Receiver;
  readonly targets: readonly Target[];
}

/**
 * CPU seconds of the least program that delivers what is committed one at a time, and of PostgreSQL: what this machine
 * asks at this hour for programs that wake with cold caches, beside which an even pace of the service can be read.
 */
export async function bareOutbox(
  { databaseUrl, postgres, receiver, targets }: BareOutbox,
  pace: number,
  seconds: number,
): Promise<number> {
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  await database.query(TABLES);
  const child = startChild('bench/bare/outbox-sender.ts', {
    BARE_TARGET: receiver.origin,
    BARE_DATABASE_URL: databaseUrl,
  });
  try {
    const listening = async (): Promise<boolean> => child.said().includes('listening');
    await until('the bare sender listens', listening, { child });
    const commit = async (_: unknown, [fact]: readonly { id: string; payload: string }[]) => {
      const client = await database.connect();
      await client.query('begin');
      await client.query({ name: 'keep', text: KEEP, values: [fact?.id, fact?.payload] });
      await client.query('commit');
      client.release();
      await database.query('notify bare_outbox');
    };
    const run = async (events: number): Promise<void> => {
      await receiver.forget();
      await steadily({ commit }, targets, pace, (n) => n < events);
      const arrived = async (): Promise<boolean> => (await receiver.count()) >= events;
      await until('every event arrived', arrived, { child });
    };
    await run(pace * Math.min(SETTLING_SECONDS, seconds));
    const used = meter([{ name: 'bare', pid: child.pid }, postgres]);
    await run(pace * seconds);
    return cpuOf(used(), ['bare', 'postgres']);
  } finally {
    await child.kill();
    await database.query('drop table bare_outbox, bare_deliveries');
    await database.end();
  }
}
