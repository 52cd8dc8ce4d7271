import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { system } from '../../src/access/actor.ts';
import { advance } from '../../src/campaigns/batches/progress.ts';
import { sendBatch } from '../../src/campaigns/batches/sending.ts';
import { holdNumbers, releaseNumbers } from '../../src/cli/ops/holding.ts';
import type { Context } from '../../src/context.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { createContext } from '../../src/db/contexts.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { acceptedBy, detailOf, type Made, running, sendAll } from '../campaigns/support/running.ts';
import {
  openSendingTest,
  ordinaryPhones,
  type SendingTest,
  untilDone,
} from '../campaigns/support/sending.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { runRelay } from '../support/relay.ts';
import { eventually } from '../support/waiting.ts';

let store: TestDatabase;
let backup: TestDatabase;
/** The service that was lost, and the one that stands on the backup, in front of one WhatsApp. */
let lost: SendingTest;
let restored: SendingTest;
/** Under way when the backup was made, and begun after it. */
let campaign: Made;
let later: Made;
let messageId: string;

const PEOPLE = 12;

const inBoth = (database: SendingTest['database'], { ref }: Made): Context =>
  createContext(
    { database, wake: () => {} },
    { organizationId: ref.organizationId, actor: system('tests'), now: new Date() },
  );

async function aMessage(made: Made): Promise<string> {
  const { id: contactId } = await aContact(made.ctx);
  return transact(made.ctx, async (tx) => {
    const conversationId = await openConversation(tx, { numberId: made.numberId, contactId });
    return queueMessage(tx, { conversationId, source: 'api', text: 'Seu pedido saiu.' });
  });
}

/** Every lane of a worker, until the message is as wanted. */
async function workUntil({ database, simulator }: SendingTest, url: string, status: string) {
  const relay = await runRelay({
    url,
    database,
    trustedOrigins: [],
    whatsAppUrl: simulator.url,
  });
  try {
    await eventually(async () => (await statusOf(database)) === status);
  } finally {
    await relay.stop();
  }
}

const rows = <R>(database: SendingTest['database'], text: string, params: unknown[]) =>
  inWorkspace(database, campaign.ref.organizationId, (sql) => sql.rows<R>(text, params));

async function statusOf(database: SendingTest['database']): Promise<string | undefined> {
  const text = 'select status from messages where id = $1';
  const [row] = await rows<{ status: string }>(database, text, [messageId]);
  return row?.status;
}

const reach = () => ({
  database: restored.database,
  contextFor: () => Promise.resolve(inBoth(restored.database, campaign)),
});
const release = (atOnce = false) => releaseNumbers(reach(), { atOnce });

beforeAll(async () => {
  store = await openTestDatabase();
  const before = await openSendingTest({ store });
  campaign = await running(before, ordinaryPhones(PEOPLE));
  messageId = await aMessage(campaign);
  await before.close();
  backup = await store.copy();
  lost = await openSendingTest({ store });
  await sendAll(lost, campaign);
  await workUntil(lost, store.url, 'sent');
  later = await running(lost, ordinaryPhones(2));
  restored = await openSendingTest({ store: backup, simulator: lost.simulator });
});
afterAll(async () => {
  await restored.close();
  await lost.close();
  await backup.close();
  await store.close();
});

describe('a backup', () => {
  it('cannot be made by the owner, to whom row level security shows no people', async () => {
    const owner = new pg.Client({ connectionString: backup.url });
    await owner.connect();
    const { rows: seen } = await owner.query('select from contacts');
    await owner.query('set row_security = off');
    const dump = await owner.query('select from contacts').catch(String);
    await owner.end();

    expect(seen).toEqual([]);
    expect(dump).toContain('query would be affected by row-level security policy');
  });
});

describe('a database restored from before something was sent', () => {
  it('holds every number, and so pauses what it believes to be under way', async () => {
    const held = await holdNumbers(reach());
    const again = await holdNumbers(reach());

    const place = { workspace: campaign.ref.organizationId, number: campaign.numberId };
    expect(held).toEqual({ held: [place], anew: [] });
    expect(again).toEqual({ held: [], anew: [place] });
    expect(await detailOf(restored, campaign)).toMatchObject({
      status: 'paused',
      pause_reason: 'number_unavailable',
      results: { pending: PEOPLE },
    });
  });

  it('releases nothing while what was due before could still go out', async () => {
    const early = await release();
    await rows(
      restored.database,
      `update numbers set (held_at, down_since) = row(h, h) from (select now() - interval '61 minutes' as h) x`,
      [],
    );
    await rows(
      restored.database,
      `update outgoing_messages set created_at = now() - interval '2 hours'`,
      [],
    );
    await rows(
      restored.database,
      `update messages set created_at = now() - interval '2 hours' where id = $1`,
      [messageId],
    );
    const idle = await release();

    expect(early).toMatchObject({ released: [], refused: [{ number: campaign.numberId }] });
    expect(early.refused[0]?.because).toMatch(/^held for 0 minutes/);
    expect(idle.refused[0]?.because).toMatch(/^1 message from before still waits/);
  });

  it('sends nobody anything twice, neither while they are held nor after they are released', async () => {
    const sent = acceptedBy(lost, campaign).map(({ to }) => to);
    await workUntil(restored, backup.url, 'failed');
    const released = await release();
    const progress = await sendBatch(restored.deps, campaign.ref, untilDone);

    expect(new Set(sent).size).toBe(PEOPLE + 1);
    expect(released).toMatchObject({ released: [{ number: campaign.numberId }], refused: [] });
    expect(progress.stage).toBe('paused');
    expect(acceptedBy(lost, campaign).map(({ to }) => to)).toEqual(sent);
  });

  it('lets the workflow of a campaign end quietly that it does not know', async () => {
    const looked = await advance(restored.deps, later.ref);
    const batch = await sendBatch(restored.deps, later.ref, untilDone);

    expect(looked.stage).toBe('gone');
    expect(batch.stage).toBe('gone');
    expect(acceptedBy(lost, later)).toEqual([]);
  });
});
