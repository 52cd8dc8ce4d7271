import assert from 'node:assert/strict';
import { Client, Connection } from '@temporalio/client';
import { until } from '../../support/processes/child.ts';
import type { Service } from '../../support/processes/processes.ts';
import { attemptsOf, everythingTold, sentOnce } from './findings.ts';
import type { ChaosStage } from './stage.ts';

/**
 * The promises that hold after any fault, by the numbers of docs/testing.md (I1 to I10). The truth is
 * outside of the system: the simulator's ledger, the receiver's receipts, and the answers that came.
 */

/** Nothing is under way any more, wherever something may wait or be in hand. Then assert. */
export async function quiet(stage: ChaosStage, timeoutMs = 200_000): Promise<void> {
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

/** What is under way, by where it is. */
export async function remains(stage: ChaosStage): Promise<Record<string, number>> {
  const [row] = await stage.rows<Record<string, number>>(
    `select (select count(*)::int from facts) as facts,
       (select count(*)::int from webhook_deliveries where finished_at is null) as deliveries,
       (select count(*)::int from campaign_recipients where status in ('pending', 'sending')) as recipients,
       (select count(*)::int from campaigns where status = 'sending') as campaigns,
       (select count(*)::int from inbound_webhooks where processed_at is null) as inbound,
       (select count(*)::int from outgoing_messages) as messages,
       (select count(*)::int from automation_triggers) as triggers,
       (select count(*)::int from automation_runs where status in ('running', 'waiting')) as runs,
       (select count(*)::int from reminder_runs where status = 'running')
         + (select count(*)::int from reminders where status = 'active' and next_run_at <= now()) as reminders`,
  );
  return row ?? {};
}

/** Fails with what is there where nothing may be. */
function demandNone(broken: Readonly<Record<string, readonly unknown[]>>): void {
  const some = Object.entries(broken).filter(([, found]) => found.length > 0);
  assert.equal(some.length, 0, JSON.stringify(Object.fromEntries(some)).slice(0, 5_000));
}

/** I4. */
export async function nobodyTwice(stage: ChaosStage): Promise<void> {
  demandNone((await sentOnce(stage)).broken);
}

/** I1, I2. */
async function everythingReported(stage: ChaosStage): Promise<void> {
  const { lost, phantoms, twoEvents } = await everythingTold(stage);
  demandNone({ lost, phantoms, twoEvents });
}

/** I1 of contacts: so many were made, and a webhook answered 2xx told of each. */
export async function everybodyTold(stage: ChaosStage, count: number): Promise<void> {
  const people = await stage.rows<{ id: string }>('select id from contacts');
  assert.equal(people.length, count);
  await everythingReported(stage);
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
  stage: ChaosStage,
  { spare = 0, kills = 1 }: Allowance = {},
): Promise<void> {
  const { unmade, gaps, unlike, unsigned, ...found } = await attemptsOf(stage);
  const beyond = [...found.beyond.values()];
  demandNone({ gaps, unlike, unsigned, unmade });
  demandNone({ tooOften: beyond.filter((more) => more > kills) });
  const sum = beyond.reduce((all, more) => all + more, 0);
  assert.ok(sum <= spare, `${sum} requests beyond the recorded attempts, at most ${spare}`);
}

interface Detail {
  readonly status: string;
  readonly audience: { total: number; eligible: number; excluded: Record<string, number> };
  readonly results: Record<string, number>;
}

const SETTLED = ['sent', 'delivered', 'read', 'failed', 'skipped', 'unconfirmed', 'cancelled'];

/** I5: what the API says of a campaign adds up. Answers it. */
export async function sumsHold(stage: ChaosStage, service: Service, id: string): Promise<Detail> {
  const reply = await stage.call(service, 'GET', `/campaigns/${id}`);
  assert.equal(reply.status, 200, reply.text);
  const detail = JSON.parse(reply.text) as Detail;
  const { audience, results } = detail;
  const excluded = Object.values(audience.excluded).reduce((sum, n) => sum + n, 0);
  const inOne = ['pending', 'sending', ...SETTLED];
  const settled = inOne.reduce((sum, status) => sum + (results[status] ?? 0), 0);
  assert.equal(audience.total, audience.eligible + excluded, reply.text);
  assert.equal(settled, audience.eligible, reply.text);
  assert.equal(results['sending'], 0, reply.text);
  return detail;
}

/** I7: no lease outlives its holder, and no workflow of the workspace is open or stuck. */
export async function nothingOpen(stage: ChaosStage): Promise<void> {
  const leases = await stage.rows(
    `select id from webhook_deliveries where lease_until < now() and finished_at is null`,
  );
  demandNone({ leases });
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
export async function loggedOnce(stage: ChaosStage, action: string, target: string): Promise<void> {
  const entries = await stage.rows(
    `select id from audit_entries where action = $1 and target ->> 'id' = $2`,
    [action, target],
  );
  assert.equal(entries.length, 1, `${action} of ${target}`);
}

/** Everything that holds for any campaign after any fault. */
export async function invariantsHold(
  stage: ChaosStage,
  service: Service,
  { campaigns, ...allowance }: Allowance & { readonly campaigns: readonly string[] },
): Promise<Detail[]> {
  await nobodyTwice(stage);
  await everythingReported(stage);
  await attemptsAddUp(stage, allowance);
  await nothingOpen(stage);
  const details: Detail[] = [];
  for (const id of campaigns) details.push(await sumsHold(stage, service, id));
  return details;
}
