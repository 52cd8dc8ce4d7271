import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { aContact } from '../support/factories/contacts.ts';
import {
  aConversation,
  type MessageWishes,
  someMessages,
} from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import {
  aStatusWebhook,
  type InboundStage,
  openInboundStage,
  type WireStatus,
} from '../support/inbound.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';

let stage: InboundStage;
let place: Place;

interface Place {
  ctx: Context;
  phoneNumberId: string;
  send(wishes?: Partial<MessageWishes>): Promise<string[]>;
}

async function aPlace(): Promise<Place> {
  const { ctx } = await aWorkspace(stage.database);
  const number = await aNumber(ctx);
  const pair = { numberId: number.id, contactId: (await aContact(ctx)).id };
  const conversationId = await aConversation(ctx, pair);
  return {
    ctx,
    phoneNumberId: number.phoneNumberId ?? '',
    send: (wishes = {}) => someMessages(ctx, { ...pair, conversationId, ...wishes }),
  };
}

beforeAll(async () => {
  stage = await openInboundStage();
  place = await aPlace();
});

afterAll(() => stage.close());

const statusOf = async ({ ctx }: Place, ids: readonly string[]): Promise<string[]> => {
  const rows = await rowsOf<{ status: string }>(
    ctx,
    'select status from messages where id = any($1) order by id',
    [ids],
  );
  return rows.map(({ status }) => status);
};

const reported = (key: string, status: string, code?: number): WireStatus => ({
  id: `wamid.${key}`,
  key,
  status,
  ...(code ? { code } : {}),
});

describe('status webhooks', () => {
  it('never move a message backwards, replayed five times in any order', async () => {
    const ids = await place.send({ count: 20 });
    const webhooks = ids.flatMap((id) =>
      ['sent', 'delivered', 'read'].map((status) =>
        aStatusWebhook(place.phoneNumberId, [reported(id, status)]),
      ),
    );

    for (let round = 0; round < 5; round++) {
      for (const webhook of [...webhooks].sort(() => Math.random() - 0.5))
        await stage.post({ ...webhook, round });
      await stage.process();
    }

    expect(new Set(await statusOf(place, ids))).toEqual(new Set(['read']));
    const events = await factsOf(place.ctx, 'message.sent');
    expect(events).toHaveLength(20);
  });

  it('settle what was unconfirmed, and say why a message was lost by the code alone', async () => {
    const [arrived = '', lost = ''] = await place.send({ count: 2, status: 'unconfirmed' });

    await stage.post(
      aStatusWebhook(place.phoneNumberId, [
        reported(arrived, 'delivered'),
        reported(lost, 'failed', 131026),
      ]),
    );
    await stage.process();

    expect(await statusOf(place, [arrived, lost])).toEqual(['delivered', 'failed']);
    const [row] = await rowsOf<{ error: unknown }>(
      place.ctx,
      'select error from messages where id = $1',
      [lost],
    );
    expect(row?.error).toMatchObject({ reason: 'no_whatsapp', provider_code: 131026 });
  });

  it('wait for a message that is only known by the id of WhatsApp, and are dropped after 30 s', async () => {
    const [id = ''] = await place.send();
    const early = { id: 'wamid.early', status: 'delivered' };
    const never = { id: 'wamid.never', status: 'delivered' };
    await stage.post(aStatusWebhook(place.phoneNumberId, [early]));
    await stage.post(aStatusWebhook(place.phoneNumberId, [never]));
    await stage.process();
    const waiting = (await stage.stored()).filter(({ done }) => !done).length;

    await rowsOf(place.ctx, 'update messages set provider_id = $2 where id = $1', [id, early.id]);
    await stage.later(1);
    await stage.process();
    const found = await statusOf(place, [id]);
    await stage.later(40);
    await stage.process();

    expect(waiting).toBe(2);
    expect(found).toEqual(['delivered']);
    expect((await stage.stored()).every(({ done, tries }) => done && tries === 0)).toBe(true);
    expect(stage.counts.unknown_message).toBe(1);
  });

  it('drop at once a correlation that is none of ours, and a number that is none of ours', async () => {
    const unknownMessages = stage.counts.unknown_message ?? 0;

    await stage.post(aStatusWebhook(place.phoneNumberId, [reported('someone-elses', 'read')]));
    await stage.post(aStatusWebhook('999000', [reported('whatever', 'read')]));
    await stage.process();

    expect((await stage.stored()).every(({ done }) => done)).toBe(true);
    expect(stage.counts.unknown_message).toBe(unknownMessages + 1);
    expect(stage.counts.unknown_number).toBe(1);
  });

  it('of another workspace never touch a message here, whatever ids they name', async () => {
    const other = await aPlace();
    const [own = ''] = await place.send();

    await stage.post(aStatusWebhook(other.phoneNumberId, [reported(own, 'read')]));
    await stage.process();

    expect(await statusOf(place, [own])).toEqual(['sending']);
  });

  it('apply although neighbours in the same webhook are strange', async () => {
    const [id = ''] = await place.send();
    const webhook = aStatusWebhook(place.phoneNumberId, [reported(id, 'sent')]) as {
      entry: { changes: { field: string; value: { statuses: unknown[] } }[] }[];
      extra?: unknown;
    };
    const change = webhook.entry[0]?.changes[0];
    change?.value.statuses.unshift(null, { id: 7 }, { id: 'x', status: 'played', timestamp: '1' });
    webhook.entry[0]?.changes.unshift(
      { field: 'account_update', value: { statuses: [] } },
      { field: 'messages', value: { statuses: [] } },
    );
    webhook.extra = { unknown: true };

    await stage.post(webhook);
    await stage.process();

    expect(await statusOf(place, [id])).toEqual(['sent']);
    expect(stage.counts.unreadable).toBe(3);
  });

  it('apply a thousand in one webhook, and many webhooks at once', async () => {
    const ids = await place.send({ count: 4_000 });
    const webhooks = ['delivered', 'read', 'failed', 'sent'].flatMap((status) =>
      [0, 1_000, 2_000, 3_000].map((from) =>
        aStatusWebhook(
          place.phoneNumberId,
          ids.slice(from, from + 1_000).map((id) => reported(id, status)),
        ),
      ),
    );
    for (const webhook of webhooks) await stage.post(webhook);
    const cpuBefore = process.cpuUsage();

    await stage.process();

    const { user, system } = process.cpuUsage(cpuBefore);
    expect(new Set(await statusOf(place, ids))).toEqual(new Set(['read']));
    // The whole of 16,000 reports, generously: the aim is 0.1 CPU seconds for 1,000.
    expect((user + system) / 1e6 / 16).toBeLessThan(1);
  });
});
