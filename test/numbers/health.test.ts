import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { newIdAt } from '../../src/ids.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { type HealthSignal, noteSignal } from '../../src/numbers/health.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const later = (minutes: number): Date => new Date(NOON.getTime() + minutes * 60_000);

const door = opened(() => openDoor({ routes: [] }));
let ctx: Context;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { now: NOON }));
});

const at = (now: Date): Context =>
  createContext(door.api.deps, { organizationId: ctx.organizationId, actor: ctx.actor, now });

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

const check = (now: Date): Promise<void> =>
  runUpkeep({ workflow: 'checkNumbers', history: 'check-numbers', database: door.database, now });

const standing = async (id: string): Promise<unknown[]> => {
  const [row] = await rows<{ status: string; reason: string | null }>(
    'select status, status_reason as reason from numbers where id = $1',
    [id],
  );
  return [row?.status, row?.reason];
};

const changes = async (): Promise<string[]> =>
  (
    await rows<{ change: string }>(
      `select (changes -> 0 ->> 'from') || ' > ' || (changes -> 0 ->> 'to') as change
       from audit_entries where action = 'number.status_changed' order by seq`,
    )
  ).map(({ change }) => change);

/** Messages that the number sent at a time, so many of them failed by a reason. */
async function sent(numberId: string, at: Date, count: number, reason?: string): Promise<void> {
  const contactId = (await aContact(ctx)).id;
  const [known] = await rows<{ id: string }>('select id from conversations where number_id = $1', [
    numberId,
  ]);
  const conversationId = known?.id ?? (await aConversation(ctx, { numberId, contactId }));
  await rows(
    `insert into messages (organization_id, id, conversation_id, number_id, direction, type, status, source, error, created_at)
     select wms.organization(), id, $2, $3, 'outbound', 'text', $4, 'api', $5, $6 from unnest($1::text[]) id`,
    [
      Array.from({ length: count }, () => newIdAt('msg', at)),
      conversationId,
      numberId,
      reason ? 'failed' : 'delivered',
      reason ? JSON.stringify({ reason }) : null,
      at,
    ],
  );
}

describe('the health sweep', () => {
  it('degrades a number that fails too often, and takes that back after ten healthy minutes', async () => {
    const { id } = await aNumber(ctx);
    await sent(id, NOON, 18);
    await sent(id, NOON, 2, 'provider_error');

    await check(later(1));
    await check(later(1));
    expect(await standing(id)).toEqual(['degraded', 'error_rate']);
    await check(later(9));
    await check(later(18.9));
    expect(await standing(id)).toEqual(['degraded', 'error_rate']);
    await check(later(19));
    await check(later(20));

    expect(await standing(id)).toEqual(['connected', null]);
    expect(await changes()).toEqual(['connected > degraded', 'degraded > connected']);
  });

  it('judges a number by its own failures, not by whom it wrote to', async () => {
    const { id } = await aNumber(ctx);
    const { id: other } = await aNumber(ctx);
    await sent(id, NOON, 10);
    await sent(id, NOON, 30, 'no_whatsapp');
    await sent(other, NOON, 30, 'provider_error');

    await check(later(1));

    expect([await standing(id), await standing(other)]).toEqual([
      ['connected', null],
      ['degraded', 'error_rate'],
    ]);
  });

  it('degrades a number that WhatsApp slows for five minutes', async () => {
    const { id } = await aNumber(ctx);
    await rows(
      `insert into pacers (organization_id, number_id, lane, next_at, slowed_since, slowed_until)
       values (wms.organization(), $1, 'number', $2, $2, $3)`,
      [id, NOON, later(6)],
    );

    await check(later(4.9));
    expect(await standing(id)).toEqual(['connected', null]);
    await check(later(5));

    expect(await standing(id)).toEqual(['degraded', 'throttled']);
  });

  it('gives up a number that is not provided within ten minutes, until a person tries again', async () => {
    const { id } = await aNumber(ctx, { provider: 'cloud_api', accessToken: 'EAAG' });

    await check(later(9.9));
    expect(await standing(id)).toEqual(['provisioning', null]);
    await check(later(10));
    await check(later(11));
    expect(await standing(id)).toEqual(['error', 'provisioning_timeout']);
    await expect(connectNumber(at(later(12)), id, {}, testKeyring)).rejects.toMatchObject({
      details: [{ path: 'phone_number_id' }],
    });
    const connection = { phoneNumberId: '106540352242922' };
    await connectNumber(at(later(12)), id, connection, testKeyring);

    expect(await standing(id)).toEqual(['connected', null]);
    expect(await changes()).toEqual(['provisioning > error']);
  });

  it('pauses the campaigns of a number whose connection stays closed, which never go on by themselves', async () => {
    const { id } = await aNumber(ctx);
    const contactId = (await aContact(ctx)).id;
    const campaign = await aCampaign(ctx, { number_id: id, contact_ids: [contactId] });
    await rows(`update campaigns set status = 'sending' where id = $1`, [campaign.id]);
    await rows(
      'insert into number_health (organization_id, number_id, closed_at) values (wms.organization(), $1, $2)',
      [id, NOON],
    );
    const campaigns = () => rows('select status, pause_reason as why from campaigns');

    await check(later(1.9));
    expect(await campaigns()).toEqual([{ status: 'sending', why: null }]);
    await check(later(2));
    await check(later(3));
    expect(await standing(id)).toEqual(['disconnected', 'socket_closed']);
    await connectNumber(at(later(4)), id, {}, testKeyring);
    await check(later(60));

    expect(await standing(id)).toEqual(['connected', null]);
    expect(await campaigns()).toEqual([{ status: 'paused', why: 'number_unavailable' }]);
    expect(await rows(`select 1 from audit_entries where action = 'campaign.paused'`)).toHaveLength(
      1,
    );
  });

  it('lets a paired number wait for its device no longer than its codes live', async () => {
    const { id } = await aNumber(ctx, { provider: 'paired' });
    await rows(`update numbers set status = 'awaiting_pairing' where id = $1`, [id]);

    await check(later(2));
    expect(await standing(id)).toEqual(['awaiting_pairing', null]);
    await check(later(3));

    expect(await standing(id)).toEqual(['disconnected', 'pairing_expired']);
  });
});

describe("a device's connection", () => {
  it('is closed or open as told last, however late the rest of it is told', async () => {
    const { id } = await aNumber(ctx, { provider: 'paired' });
    const closedAfter = async (sign: HealthSignal): Promise<Date | null | undefined> => {
      await inWorkspace(door.database, ctx.organizationId, (sql) =>
        noteSignal(sql, ctx.organizationId, id, sign),
      );
      const [row] = await rows<{ at: Date | null }>('select closed_at as at from number_health');
      return row?.at;
    };

    expect(await closedAfter({ heartbeatAt: later(1) })).toBeNull();
    expect(await closedAfter({ closedAt: later(5) })).toEqual(later(5));
    expect(await closedAfter({ heartbeatAt: later(4) })).toEqual(later(5));
    expect(await closedAfter({ closedAt: later(3) })).toEqual(later(5));
    expect(await closedAfter({ heartbeatAt: later(7) })).toBeNull();
    expect(await closedAfter({ closedAt: later(6) })).toBeNull();
    expect(await closedAfter({ closedAt: later(7) })).toEqual(later(7));
    expect(await closedAfter({ heartbeatAt: later(7) })).toBeNull();
    expect(await closedAfter({ closedAt: later(9) })).toEqual(later(9));
    expect(await closedAfter({ closedAt: later(12) })).toEqual(later(9));
    expect(await closedAfter({ heartbeatAt: later(10) })).toEqual(later(12));
    expect(await closedAfter({ heartbeatAt: later(11) })).toEqual(later(12));
    expect(await closedAfter({ heartbeatAt: later(12) })).toBeNull();
    expect(await closedAfter({ heartbeatAt: later(11) })).toBeNull();
  });
});
