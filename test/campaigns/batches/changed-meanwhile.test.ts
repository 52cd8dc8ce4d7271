import { describe, expect, it } from '@jest/globals';
import { type Claimed, claim, PLANNED_ONCE } from '../../../src/campaigns/batches/claims.ts';
import { type Settlement, settle } from '../../../src/campaigns/batches/settling.ts';
import { deleteContact } from '../../../src/contacts/deleting.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import type { Context } from '../../../src/context.ts';
import { inWorkspace, ROW_BY_ROW } from '../../../src/db/database.ts';
import type { Sql } from '../../../src/db/sql.ts';
import { transact } from '../../../src/db/transact.ts';
import { applyLate, applyToMessages } from '../../../src/inbound/updates/reports.ts';
import { untilWaiting } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { opened } from '../../support/opened.ts';
import { type Made, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const asTheWorker = <T>({ ref }: Made, work: (sql: Sql) => Promise<T>): Promise<T> =>
  inWorkspace(test.database, ref.organizationId, work, PLANNED_ONCE);

const claimed = async (made: Made): Promise<Claimed[]> => {
  const { ref, numberId } = made;
  const about = { ...ref, numberId, window24h: false, limitsRevision: 0, now: new Date() };
  const found = await asTheWorker(made, (sql) => claim(sql, { ...about, token: 't', limit: 9 }));
  return [...found.claimed];
};

/** Answers are recorded while another transaction has changed something that they change, too. */
async function settledDuring(
  made: Made,
  change: (tx: Context) => Promise<unknown>,
  settlements: readonly Settlement[],
): Promise<void> {
  const request = { ...made.ref, numberId: made.numberId, now: new Date() };
  const settling = await transact({ ...made.ctx, now: new Date() }, async (tx) => {
    await change(tx);
    const recording = asTheWorker(made, (own) => settle(own, request, settlements));
    await untilWaiting(test.database.app);
    return { recording };
  });
  await settling.recording;
}

const error = { reason: 'no_whatsapp', code: 'x', provider_code: 131026, message: 'No.' } as const;

const outcomes = (made: Made) =>
  test.sqlOf(made, (sql) =>
    sql.rows<{ recipient: string; message: string | null; own: boolean }>(
      `select r.status as recipient, m.status as message, m.contact_id = r.contact_id as own
       from campaign_recipients r left join messages m on m.id = r.message_id order by r.id`,
    ),
  );

describe('an answer of WhatsApp', () => {
  it('is recorded though its recipient’s contact is merged at that moment', async () => {
    const made = await running(test, ordinaryPhones(3));
    const [first, second, third] = await claimed(made);
    if (!first || !second || !third) throw new TypeError('Too few were claimed.');
    const { id: survivor } = await aContact(made.ctx, { phone: '+5511970000009' });
    const merged = async (tx: Context) => {
      for (const { contactId } of [first, second])
        await mergeContacts(tx, survivor, contactId ?? '');
    };

    await settledDuring(made, merged, [
      { status: 'failed', row: first, error },
      { status: 'pending', row: second, called: false, counted: false, delayMs: 0 },
      { status: 'sent', row: third, providerId: 'wamid.3' },
    ]);

    expect(await outcomes(made)).toEqual([
      { recipient: 'failed', message: 'failed', own: true },
      { recipient: 'pending', message: null, own: null },
      { recipient: 'sent', message: 'sent', own: true },
    ]);
  });

  it('is counted though its recipient’s contact is deleted at that moment', async () => {
    const made = await running(test, ordinaryPhones(1));
    const [row] = await claimed(made);
    if (!row) throw new TypeError('Nobody was claimed.');
    const deleted = (tx: Context) => deleteContact(tx, row.contactId ?? '', []);

    await settledDuring(made, deleted, [{ status: 'sent', row, providerId: 'wamid.1' }]);

    expect(await outcomes(made)).toEqual([{ recipient: 'sent', message: null, own: null }]);
  });
});

it('a conversation that changes at that moment keeps the time at which its message left', async () => {
  const made = await running(test, ordinaryPhones(2));
  const [row, other] = await claimed(made);
  if (!row || !other) throw new TypeError('Too few were claimed.');
  for (const { contactId } of [row, other])
    await aConversation(made.ctx, { numberId: made.numberId, contactId: contactId ?? '' });
  const read = (tx: Context) =>
    tx.sql.rows('update conversations set unread = 0 where contact_id = $1', [row.contactId]);

  await settledDuring(made, read, [
    { status: 'sent', row, providerId: 'wamid.1' },
    { status: 'sent', row: other, providerId: 'wamid.2' },
  ]);

  const kept = `select count(*) as n from conversations v join messages m on m.conversation_id = v.id
    where v.last_outbound_at = m.sent_at and v.last_message_at = m.sent_at`;
  expect(await test.countOf(made, kept)).toBe(2);
});

it('a report that is quicker than our record is kept though its recipient’s contact is merged at that moment', async () => {
  const made = await running(test, ordinaryPhones(1));
  const [row] = await claimed(made);
  if (!row) throw new TypeError('Nobody was claimed.');
  const { id: survivor } = await aContact(made.ctx, { phone: '+5511970000019' });
  const about = {
    organizationId: made.ref.organizationId,
    numberId: made.numberId,
    now: new Date(),
  };
  const reports = [
    {
      correlation: row.messageId,
      providerId: 'wamid.1',
      status: 'delivered' as const,
      at: new Date(),
      error: null,
    },
  ];
  const within = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    inWorkspace(test.database, made.ref.organizationId, work, ROW_BY_ROW);
  const telling = await transact({ ...made.ctx, now: new Date() }, async (tx) => {
    await mergeContacts(tx, survivor, row.contactId ?? '');
    const taking = within((sql) => applyToMessages(sql, about, reports)).then(({ late }) =>
      within((sql) => applyLate(sql, about, late)),
    );
    await untilWaiting(test.database.app);
    return { taking };
  });
  const { unmatched } = await telling.taking;

  expect(unmatched).toEqual([]);
  expect(await outcomes(made)).toEqual([
    { recipient: 'delivered', message: 'delivered', own: true },
  ]);
});
