import { expect } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { until } from '../support/house/child.ts';
import type { Service } from '../support/house/house.ts';
import type { Stage } from './stage.ts';

/**
 * The promises that hold after any fault, by the numbers of docs/testing.md (I1 to I10). The truth is
 * outside of the system: the simulator's ledger, the receiver's receipts, and the answers that came.
 */

/** Nothing is under way any more: facts, deliveries, recipients, what WhatsApp posted. Then assert. */
export async function quiet(stage: Stage, timeoutMs = 120_000): Promise<void> {
  let left: unknown;
  await until(
    'everything comes to rest',
    async () => {
      left = await remains(stage);
      return Object.values(left as object).every((count) => count === 0);
    },
    { timeoutMs, everyMs: 200 },
  ).catch((error: Error) => {
    throw new Error(`${error.message} ${JSON.stringify(left)}`);
  });
}

async function remains(stage: Stage): Promise<Record<string, number>> {
  const [row] = await stage.rows<Record<string, number>>(
    `select (select count(*)::int from facts) as facts,
       (select count(*)::int from webhook_deliveries where finished_at is null) as deliveries,
       (select count(*)::int from campaign_recipients where status in ('pending', 'sending')) as recipients,
       (select count(*)::int from campaigns where status = 'sending') as campaigns,
       (select count(*)::int from inbound_webhooks where processed_at is null) as inbound`,
  );
  return row ?? {};
}

interface Recipient {
  readonly campaign_id: string;
  readonly phone: string;
  readonly status: string;
  readonly message_id: string | null;
}

const recipients = (stage: Stage): Promise<Recipient[]> =>
  stage.rows<Recipient>('select campaign_id, phone, status, message_id from campaign_recipients');

const SENT = ['sent', 'delivered', 'read'];

/** I4: nobody gets a campaign twice; whoever is `sent` got it; nothing went out that no row knows of. */
export async function nobodyTwice(stage: Stage): Promise<void> {
  const accepted = await stage.house.simulator.accepted();
  const rows = await recipients(stage);
  const known = new Set(rows.map((row) => row.message_id));
  const times = Map.groupBy(accepted, (entry) => entry.key);
  const twice = [...times].filter(([, entries]) => entries.length > 1).map(([key]) => key);
  const toNobody = accepted.filter((entry) => !known.has(entry.key));
  const unsent = rows.filter((row) => SENT.includes(row.status) && !times.has(row.message_id));
  expect({ twice, toNobody, unsent }).toEqual({ twice: [], toNobody: [], unsent: [] });
}

/** I1, I2: a webhook for each message that is sent, delivered once answered 2xx, and for no other. */
async function everyMessageReported(stage: Stage): Promise<void> {
  const sent = (await recipients(stage)).filter((row) => SENT.includes(row.status));
  const reported = new Map<string, Set<string>>();
  for (const { event, webhookId, status } of stage.receiver.receipts) {
    const message = event.data.message?.id;
    if (event.type !== 'message.sent' || !message || status >= 300) continue;
    reported.set(message, (reported.get(message) ?? new Set()).add(webhookId));
  }
  const lost = sent.filter((row) => !reported.has(row.message_id ?? ''));
  const ids = new Set(sent.map((row) => row.message_id));
  const phantoms = [...reported.keys()].filter((id) => !ids.has(id));
  const twoEvents = [...reported].filter(([, events]) => events.size > 1);
  expect({ lost, phantoms, twoEvents }).toEqual({ lost: [], phantoms: [], twoEvents: [] });
}

/** I1 of contacts: so many were made, and a webhook answered 2xx told of each. */
export async function everybodyTold(stage: Stage, count: number): Promise<void> {
  const people = await stage.rows<{ id: string }>('select id from contacts');
  expect(people).toHaveLength(count);
  const told = stage.receiver.receipts
    .filter(({ status }) => status < 300)
    .map(({ event }) => event.data.contact_id);
  expect(new Set(told)).toEqual(new Set(people.map(({ id }) => id)));
}

interface Allowance {
  /** Requests beyond the recorded attempts, all deliveries together. */
  readonly spare?: number;
  /** Processes that were killed: each may have repeated one request of a delivery. */
  readonly kills?: number;
}

/**
 * I3, I6, I8: requests beyond the recorded attempts are bounded; attempts are numbered 1..n; every
 * request is signed and carries the same bytes.
 */
export async function attemptsAddUp(
  stage: Stage,
  { spare = 0, kills = 1 }: Allowance = {},
): Promise<void> {
  const { receipts } = stage.receiver;
  const recorded = await stage.rows<{ event_id: string; attempts: number; numbers: number[] }>(
    `select d.event_id, d.attempts, array_agg(a.number order by a.number) as numbers
     from webhook_deliveries d join webhook_attempts a on a.day = d.day and a.delivery_id = d.id
     group by d.day, d.id`,
  );
  const gaps = recorded.filter(
    ({ attempts, numbers }) =>
      attempts > 12 || attempts !== numbers.length || numbers.some((n, i) => n !== i + 1),
  );
  const attemptsOf = new Map(recorded.map((row) => [row.event_id, row.attempts]));
  const requests = Map.groupBy(receipts, (receipt) => receipt.webhookId);
  const beyond = [...requests].map(([id, made]) => made.length - (attemptsOf.get(id) ?? 0));
  const unlike = [...requests].filter(([, made]) => new Set(made.map((m) => m.body)).size > 1);
  expect({ gaps, unlike, unsigned: receipts.filter((r) => !r.verified) }).toEqual({
    gaps: [],
    unlike: [],
    unsigned: [],
  });
  expect(Math.min(0, ...beyond)).toBe(0);
  expect(Math.max(0, ...beyond)).toBeLessThanOrEqual(kills);
  expect(beyond.reduce((sum, more) => sum + more, 0)).toBeLessThanOrEqual(spare);
}

interface Detail {
  readonly status: string;
  readonly audience: { total: number; eligible: number; excluded: Record<string, number> };
  readonly results: Record<string, number>;
}

/** I5: what the API says of a campaign adds up. Answers it. */
async function sumsHold(stage: Stage, service: Service, id: string): Promise<Detail> {
  const reply = await stage.call(service, 'GET', `/campaigns/${id}`);
  expect(reply.status).toBe(200);
  const detail = JSON.parse(reply.text) as Detail;
  const { audience, results } = detail;
  const excluded = Object.values(audience.excluded).reduce((sum, n) => sum + n, 0);
  const inOne = ['pending', 'sending', ...SENT, 'failed', 'skipped', 'unconfirmed', 'cancelled'];
  const settled = inOne.reduce((sum, status) => sum + (results[status] ?? 0), 0);
  expect(audience.total).toBe(audience.eligible + excluded);
  expect(settled).toBe(audience.eligible);
  expect(results['sending']).toBe(0);
  return detail;
}

/** I7: no lease outlives its holder, and no workflow of the workspace is open or stuck. */
export async function nothingOpen(stage: Stage): Promise<void> {
  const leases = await stage.rows(
    `select id from webhook_deliveries where lease_until < now() and finished_at is null`,
  );
  expect(leases).toEqual([]);
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const client = new Client({ connection });
    const query = `WmsWorkspaceId = '${stage.organizationId}' and ExecutionStatus = 'Running'`;
    await until(
      'the workspace has no open workflow',
      async () => (await client.workflow.count(query)).count === 0,
      { timeoutMs: 90_000, everyMs: 250 },
    );
  } finally {
    await connection.close();
  }
}

/** I10: one entry in the log for each change that was answered. */
export async function loggedOnce(stage: Stage, action: string, target: string): Promise<void> {
  const entries = await stage.rows(
    `select id from audit_entries where action = $1 and target ->> 'id' = $2`,
    [action, target],
  );
  expect(entries).toHaveLength(1);
}

/** Everything that holds for any campaign after any fault. */
export async function invariantsHold(
  stage: Stage,
  service: Service,
  { campaigns, ...allowance }: Allowance & { readonly campaigns: readonly string[] },
): Promise<Detail[]> {
  await nobodyTwice(stage);
  await everyMessageReported(stage);
  await attemptsAddUp(stage, allowance);
  await nothingOpen(stage);
  const details: Detail[] = [];
  for (const id of campaigns) details.push(await sumsHold(stage, service, id));
  return details;
}
