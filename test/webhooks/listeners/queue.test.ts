import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import type { Sql } from '../../../src/db/sql.ts';
import { transact } from '../../../src/db/transact.ts';
import { DAY_MS } from '../../../src/durations.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import {
  type HeldDelivery,
  recordAnswer,
  releaseHeld,
  takeHeld,
} from '../../../src/webhooks/listeners/queue.ts';
import { endOldListeners, openListener } from '../../../src/webhooks/listeners/service.ts';
import { openOwnDatabase, untilWaiting } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const database = opened(openOwnDatabase);

const LOCAL = 'http://localhost:4000/';
const ANSWER = { code: 200, durationMs: 5, response: '', error: null } as const;

/** A listener for which so many events are held. */
async function aListener(count: number) {
  const { ctx, workspaceId: organizationId } = await aWorkspace(database);
  const wish = { url: LOCAL, events: ['message.sent'] };
  const { id: endpointId } = await openListener(ctx, wish, testKeyring);
  const events = await sentEvents(database, organizationId, count);
  await fanOut(sqlOver(database.system), { token: 'tests', full: [] }, count);
  const here = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    inWorkspace(database, organizationId, work);
  return {
    events,
    here,
    rows: <R>(text: string) => here((sql) => sql.rows<R>(text, [endpointId])),
    take: async (token = 'a-process'): Promise<HeldDelivery> => {
      const taken = await here((sql) => takeHeld(sql, { organizationId, endpointId, token }));
      if (!taken) throw new Error('nothing is held');
      return taken;
    },
    release: () => here((sql) => releaseHeld(sql, { organizationId, endpointId }, [])),
  };
}

const EXPIRE = `
  update webhook_deliveries set lease_until = now() where endpoint_id = $1 and lease_token is not null`;

describe('a listener', () => {
  it('is one for its address, also when two start at the same moment', async () => {
    const { ctx } = await aWorkspace(database);
    const wish = { url: LOCAL, events: ['message.sent'] };

    const { first, second } = await transact(ctx, async (tx) => {
      const first = await openListener(tx, wish, testKeyring);
      const second = openListener({ ...ctx, em: ctx.em.fork() }, wish, testKeyring);
      await untilWaiting(database.system);
      return { first, second };
    });

    expect(await second).toEqual(first);
  });

  it('that starts again has another week before it', async () => {
    const { ctx } = await aWorkspace(database);
    const open = (days: number) => {
      const now = new Date(ctx.now.getTime() + days * DAY_MS);
      return openListener({ ...ctx, now }, { url: LOCAL, events: ['message.sent'] }, testKeyring);
    };
    const { id } = await open(0);
    await open(6);

    await endOldListeners(database, new Date(ctx.now.getTime() + 8 * DAY_MS));

    expect((await open(8)).id).toBe(id);
  });

  it('that is heard of while it is to be ended goes on', async () => {
    const { ctx } = await aWorkspace(database);
    const { id } = await openListener(ctx, { url: LOCAL, events: ['message.sent'] }, testKeyring);
    const inAWeek = new Date(ctx.now.getTime() + 8 * DAY_MS);

    const { ended } = await inWorkspace(database, ctx.organizationId, async (sql) => {
      await sql.rows('update webhook_endpoints set heard_at = $2 where id = $1', [id, inAWeek]);
      const ended = endOldListeners(database, inAWeek);
      await untilWaiting(database.system);
      return { ended };
    });
    await ended;

    expect(
      await inWorkspace(database, ctx.organizationId, (sql) =>
        sql.rows('select from webhook_endpoints where id = $1 and deleted_at is null', [id]),
      ),
    ).toHaveLength(1);
  });
});

describe('what is held for a listener', () => {
  it('comes in the order of events, also of those that came at the same moment', async () => {
    const { events, take } = await aListener(12);

    const taken: string[] = [];
    for (const _ of events) taken.push((await take()).eventId);

    expect(taken).toEqual(events);
  });

  it('is written down by the process that has it, and by no other that had it before', async () => {
    const { here, rows, take } = await aListener(1);
    const late = await take('one-that-hung');
    await rows(EXPIRE);
    const taken = await take('another');

    const answer = { ...ANSWER, status: 'failed' } as const;
    await here((sql) => recordAnswer(sql, late, 'one-that-hung', answer));
    await here((sql) => recordAnswer(sql, taken, 'another', { ...ANSWER, status: 'succeeded' }));

    expect(
      await rows('select status, attempts from webhook_deliveries where endpoint_id = $1'),
    ).toEqual([{ status: 'succeeded', attempts: 1 }]);
  });

  it('comes back to its place when the lease of a process that hangs is over', async () => {
    const { events, rows, take, release } = await aListener(2);
    expect((await take('one-that-hangs')).eventId).toBe(events[0]);
    await rows(EXPIRE);

    await release();

    expect((await take('another')).eventId).toBe(events[0]);
  });
});
