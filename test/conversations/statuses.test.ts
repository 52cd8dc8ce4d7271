import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import {
  type AppliedStatuses,
  applyStatuses,
  type StatusReport,
} from '../../src/conversations/receiving/statuses.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;
let numberId: string;
let pair: { numberId: string; contactId: string; conversationId: string };

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  numberId = (await aNumber(ctx)).id;
  const contactId = (await aContact(ctx)).id;
  const conversationId = await aConversation(ctx, { numberId, contactId });
  pair = { numberId, contactId, conversationId };
});

afterAll(() => database.close());

const AT = new Date('2026-11-20T12:00:00Z');

const report = (correlation: string | null, wishes: Partial<StatusReport> = {}): StatusReport => ({
  correlation,
  providerId: `wamid.${correlation}`,
  status: 'delivered',
  at: AT,
  error: null,
  ...wishes,
});

const apply = (reports: StatusReport[], on = numberId): Promise<AppliedStatuses> =>
  inWorkspace(database, ctx.organizationId, (sql) =>
    applyStatuses(sql, ctx.organizationId, on, reports),
  );

interface MessageState {
  id: string;
  status: string;
  provider_id: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  error: { reason: string } | null;
}

const states = (ids: readonly string[]): Promise<MessageState[]> =>
  rowsOf<MessageState>(
    ctx,
    `select id, status, provider_id, sent_at, delivered_at, read_at, error from messages
       where id = any($1) order by id`,
    [ids],
  );

const sentFacts = async (ids: readonly string[]): Promise<number> => {
  const rows = await rowsOf<{ payload: string }>(
    ctx,
    "select payload from facts where type = 'message.sent'",
  );
  return rows.filter(({ payload }) => ids.includes(JSON.parse(payload).data.message.id)).length;
};

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

describe('applying status reports', () => {
  it('settles an unconfirmed message and announces it once, however often it is told', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair, status: 'unconfirmed' });

    const first = await apply([report(id, { status: 'sent' })]);
    const repeats = [await apply([report(id, { status: 'sent' })]), await apply([report(id)])];

    expect(first.announced).toBe(1);
    expect(repeats.map(({ announced }) => announced)).toEqual([0, 0]);
    expect(await sentFacts([id])).toBe(1);
    expect(await states([id])).toMatchObject([
      { status: 'delivered', provider_id: `wamid.${id}`, sent_at: AT, delivered_at: AT },
    ]);
  });

  it('was not sent before it was there: WhatsApp reports whole seconds', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair, status: 'unconfirmed' });
    const [{ created_at: made } = { created_at: AT }] = await rowsOf<{ created_at: Date }>(
      ctx,
      `update messages set created_at = date_trunc('second', created_at) + interval '700 milliseconds'
           where id = $1 returning created_at`,
      [id],
    );

    await apply([report(id, { at: new Date(Math.floor(made.getTime() / 1_000) * 1_000) })]);

    expect(await states([id])).toMatchObject([{ sent_at: made, delivered_at: made }]);
  });

  it('ends at read when read came before sent, in one batch and over many', async () => {
    const [together = '', apart = ''] = await someMessages(ctx, { ...pair, count: 2 });
    const order = ['read', 'sent', 'delivered'] as const;

    await apply(order.map((status) => report(together, { status })));
    for (const status of order) await apply([report(apart, { status })]);

    expect((await states([together, apart])).map(({ status }) => status)).toEqual(['read', 'read']);
    expect(await sentFacts([together, apart])).toBe(2);
  });

  it('brings a thousand messages to the same end, five times over in any order', async () => {
    const ids = await someMessages(ctx, { ...pair, count: 1_000 });
    const all = ids.flatMap((id) =>
      (['sent', 'delivered', 'read'] as const).map((status) => report(id, { status })),
    );

    for (let round = 0; round < 5; round++) {
      const reports = shuffled(all);
      for (let from = 0; from < reports.length; from += 1_000)
        await apply(reports.slice(from, from + 1_000));
    }

    const found = await states(ids);
    expect(found.filter(({ status }) => status === 'read')).toHaveLength(1_000);
    expect(await sentFacts(ids)).toBe(1_000);
  });

  it('keeps why a message failed, and forgets it when a delivery heals the message', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair, status: 'sent', sentAt: AT });
    const error = {
      reason: 'no_whatsapp',
      code: 'no_whatsapp',
      provider_code: 131026,
      message: 'Undeliverable',
    };

    const failing = await apply([report(id, { status: 'failed', error })]);
    const failed = await states([id]);
    await apply([report(id)]);

    expect(failing.changed).toEqual([
      {
        messageId: id,
        campaignId: null,
        status: 'failed',
        reason: 'no_whatsapp',
        code: 131026,
        at: AT,
      },
    ]);
    expect(failed).toMatchObject([{ status: 'failed', error }]);
    expect(await states([id])).toMatchObject([{ status: 'delivered', error: null }]);
    expect(await sentFacts([id])).toBe(0);
  });

  it('never announces what failed before it was sent', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair });

    const { announced } = await apply([report(id, { status: 'failed' })]);

    expect(announced).toBe(0);
    expect(await states([id])).toMatchObject([{ status: 'failed', sent_at: null }]);
  });

  it('matches by the id of WhatsApp when no correlation came back', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair });
    await apply([report(id, { status: 'sent' })]);

    const { unmatched } = await apply([
      report(null, { providerId: `wamid.${id}`, status: 'read' }),
    ]);

    expect(unmatched).toEqual([]);
    expect(await states([id])).toMatchObject([{ status: 'read' }]);
  });

  it('leaves a message alone when the report is about another one of WhatsApp', async () => {
    const [id = ''] = await someMessages(ctx, { ...pair });
    await apply([report(id, { status: 'sent' })]);
    const stranger = report(id, { providerId: 'wamid.other', status: 'read' });

    const { unmatched, changed } = await apply([stranger]);

    expect({ unmatched, changed }).toEqual({ unmatched: [stranger], changed: [] });
    expect(await states([id])).toMatchObject([{ status: 'sent', provider_id: `wamid.${id}` }]);
  });

  it('touches no message of another number or another workspace', async () => {
    const other = await aWorkspace(database);
    const foreignNumber = (await aNumber(other.ctx)).id;
    const foreignContact = (await aContact(other.ctx)).id;
    const place = { numberId: foreignNumber, contactId: foreignContact };
    const conversationId = await aConversation(other.ctx, place);
    const [foreign = ''] = await someMessages(other.ctx, { ...place, conversationId });
    const [own = ''] = await someMessages(ctx, { ...pair });
    const secondNumber = (await aNumber(ctx)).id;
    const unknown = newId('msg');

    const here = await apply([report(foreign), report(unknown)]);
    const wrongNumber = await apply([report(own)], secondNumber);

    expect(here.unmatched.map(({ correlation }) => correlation)).toEqual([foreign, unknown]);
    expect(wrongNumber.unmatched).toHaveLength(1);
    expect(await states([own])).toMatchObject([{ status: 'sending' }]);
    const untouched = await rowsOf(other.ctx, 'select status from messages where id = $1', [
      foreign,
    ]);
    expect(untouched).toEqual([{ status: 'sending' }]);
  });
});
