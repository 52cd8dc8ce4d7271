/**
 * Asks at a pace that does not depend on the answers, or as fast as they come, whenever its parent says so. What an
 * answer took is counted from the moment at which it was to be asked for, so that waiting counts too.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Asked, OpenOrder } from '../support/open-load.ts';
import { phoneOf } from '../support/people.ts';

const { LOAD_KEYS = '' } = process.env;
const keys = readFileSync(LOAD_KEYS, 'utf8').trim().split('\n');
/** Enough connections for the requests that wait and those that are answered at once. */
const CONNECTIONS = 512;
const WRITE_EVERY = 10;
const TICK_MS = 2;

let asked = 0;

/** One in ten makes a contact, the others read a page. */
function request(n: number) {
  const authorization = `Bearer ${keys[n % keys.length]}`;
  if (n % WRITE_EVERY > 0)
    return {
      method: 'GET' as const,
      path: '/api/v1/contacts?limit=50',
      headers: { authorization },
    };
  return {
    method: 'POST' as const,
    path: '/api/v1/contacts',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Person ${n}`, phone: phoneOf(1_000_000 + n) }),
  };
}

async function ask(pool: Pool, at: number, all: Asked[]): Promise<void> {
  asked += 1;
  const late = performance.now() - at;
  const sent = request(asked);
  const change = sent.method === 'POST';
  try {
    const { statusCode, headers, body } = await pool.request(sent);
    await body.dump();
    const retryAfter = headers['retry-after'] !== undefined;
    all.push({ at, ms: performance.now() - at, late, status: statusCode, retryAfter, change });
  } catch {
    all.push({ at, ms: performance.now() - at, late, status: 0, retryAfter: false, change });
  }
}

async function atPace(pool: Pool, { pace, seconds }: OpenOrder, all: Asked[]): Promise<void> {
  const startedAt = performance.now();
  const going: Promise<void>[] = [];
  for (let n = 0; n < pace * seconds; ) {
    const due = Math.min(pace * seconds, ((performance.now() - startedAt) / 1_000) * pace);
    for (; n < due; n++) going.push(ask(pool, startedAt + (n * 1_000) / pace, all));
    await sleep(TICK_MS);
  }
  await Promise.all(going);
}

async function sideBySide(pool: Pool, { seconds, width }: OpenOrder, all: Asked[]): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  const one = async (): Promise<void> => {
    while (performance.now() < end) await ask(pool, performance.now(), all);
  };
  await Promise.all(Array.from({ length: width }, one));
}

/**
 * As a proxy keeps them. Without it everything waited for up to five seconds when the load began, refusals too: most
 * likely because Node lets new connections in one by one, between its other work.
 */
async function open(pool: Pool): Promise<void> {
  const opening = Array.from({ length: CONNECTIONS }, async () => {
    const { body } = await pool.request({ method: 'GET', path: '/healthz' });
    await body.dump();
  });
  await Promise.all(opening);
}

async function load(order: OpenOrder): Promise<Asked[]> {
  const pool = new Pool(order.origin, { connections: CONNECTIONS, pipelining: 1 });
  const all: Asked[] = [];
  await open(pool);
  const startedAt = performance.now();
  await (order.pace > 0 ? atPace : sideBySide)(pool, order, all);
  await pool.close();
  return all.map((one) => ({ ...one, at: one.at - startedAt }));
}

process.on('message', (order: OpenOrder) => {
  void load(order).then((all) => process.send?.(all));
});
process.once('disconnect', () => process.exit(0));
