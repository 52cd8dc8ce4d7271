import type { Receipt } from './receiver.ts';
import type { ChaosStage } from './stage.ts';

/**
 * What the ledgers outside of the system (the simulator's and the receiver's) say against the rows, once
 * everything is at rest. The numbers I1 to I10 are those of docs/testing.md.
 */
export interface Finding {
  readonly figures: Readonly<Record<string, number>>;
  /** What breaks the promise, by how; all empty where it holds. */
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

interface Sent {
  readonly id: string;
  readonly sent: boolean;
  /** One message of a campaign or a reminder to somebody, or one sentence of a run. */
  readonly errand: string | null;
}

const SENT = `('sent', 'delivered', 'read')`;
const OUTBOUND = `
select m.id, m.status in ${SENT} or coalesce(r.status in ${SENT}, false) as sent,
  coalesce(m.campaign_id || ' ' || r.id, m.run_id || ' ' || m.text,
    case when m.source = 'reminder' then m.contact_id || ' ' || m.text end) as errand
from messages m left join campaign_recipients r on r.organization_id = m.organization_id and r.message_id = m.id
where m.direction = 'outbound'`;

/** I4: nobody gets the same twice; whoever is `sent` got it; nothing went out that no row knows of. */
export async function sentOnce(stage: ChaosStage): Promise<Finding> {
  const accepted = await stage.processes.simulator.accepted();
  const rows = await stage.rows<Sent>(OUTBOUND);
  const known = new Map(rows.map((row) => [row.id, row]));
  const byKey = Map.groupBy(accepted, ({ key }) => key ?? '');
  const byErrand = Map.groupBy(accepted, ({ key }) => known.get(key ?? '')?.errand ?? null);
  byErrand.delete(null);
  return {
    figures: { accepted: accepted.length, keys: byKey.size, errands: byErrand.size },
    broken: {
      twice: repeated(byKey),
      twiceInOtherWords: repeated(byErrand),
      toNobody: accepted.filter(({ key }) => !known.has(key ?? '')),
      unsent: rows.filter(({ id, sent }) => sent && !byKey.has(id)),
    },
  };
}

const repeated = (groups: ReadonlyMap<string | null, readonly unknown[]>): unknown[] =>
  [...groups].filter(([, entries]) => entries.length > 1).map(([key]) => key);

const HAPPENED = `
select 'contact.created' as type, id from contacts
union select 'message.received', id from messages where direction = 'inbound'
union select 'message.sent', id from messages where direction = 'outbound' and status in ${SENT}
union select 'message.sent', message_id from campaign_recipients where status in ${SENT}
union select 'automation.failed', id from automation_runs where status = 'failed'`;

interface Told {
  /** What happened, and no request of an endpoint that wants to know was answered 2xx: I1. */
  readonly lost: readonly string[];
  /** What was told and never happened, or is told as two events: I2. */
  readonly phantoms: readonly string[];
  readonly twoEvents: readonly string[];
  readonly told: number;
}

/** I1, I2: each endpoint of the stage's receiver learns of each thing that happened, and of nothing else. */
export async function everythingTold(stage: ChaosStage): Promise<Told> {
  const happened = await stage.rows<{ type: string; id: string }>(HAPPENED);
  const endpoints = await stage.rows<{ url: string; events: string[] }>(
    'select url, events from webhook_endpoints where deleted_at is null and starts_with(url, $1)',
    [stage.receiver.origin],
  );
  const expected = new Set(
    endpoints.flatMap(({ url, events }) =>
      happened
        .filter(({ type }) => events.includes(type))
        .map(({ type, id }) => `${new URL(url).pathname} ${type} ${id}`),
    ),
  );
  const events = new Map<string, Set<string>>();
  for (const receipt of stage.receiver.receipts.filter(({ status }) => status < 300)) {
    const what = subjectOf(receipt);
    events.set(what, (events.get(what) ?? new Set()).add(receipt.webhookId));
  }
  return {
    lost: [...expected].filter((what) => !events.has(what)),
    phantoms: [...events.keys()].filter((what) => !expected.has(what)),
    twoEvents: [...events].filter(([, ids]) => ids.size > 1).map(([what]) => what),
    told: events.size,
  };
}

function subjectOf({ path, event }: Receipt): string {
  const { contact_id, message, run } = event.data;
  return `${path} ${event.type} ${run?.id ?? message?.id ?? contact_id}`;
}

interface Attempts {
  readonly requests: number;
  /** By path and id, the requests beyond the recorded attempts of each delivery that has some: I3. */
  readonly beyond: ReadonlyMap<string, number>;
  /** Deliveries that are said to have been answered more often than there were requests. */
  readonly unmade: readonly unknown[];
  /** Attempts that got no answer, by why not. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** Deliveries with more than 12 attempts, or whose numbers have gaps: I6. */
  readonly gaps: readonly unknown[];
  /** Requests without a valid signature, and events of which not all bytes are the same: I8. */
  readonly unsigned: readonly string[];
  readonly unlike: readonly string[];
}

const RECORDED = `
select e.url, d.event_id, d.attempts, coalesce(array_agg(a.number order by a.number) filter (where a.number is not null), '{}') as numbers,
  count(a.code)::int as answered
from webhook_deliveries d
join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
left join webhook_attempts a on a.day = d.day and a.delivery_id = d.id
where starts_with(e.url, $1)
group by e.url, d.day, d.id`;

/** I3, I6, I8: what was requested of the stage's receiver against what was recorded. */
export async function attemptsOf(stage: ChaosStage): Promise<Attempts> {
  const { receipts } = stage.receiver;
  const recorded = await stage.rows<{
    url: string;
    event_id: string;
    attempts: number;
    numbers: number[];
    answered: number;
  }>(RECORDED, [stage.receiver.origin]);
  const unanswered = await stage.rows<{ why: string; n: number }>(
    `select coalesce(error, 'unknown') as why, count(*)::int as n from webhook_attempts where code is null group by 1`,
  );
  const idOf = (row: { url: string; event_id: string }): string =>
    `${new URL(row.url).pathname} ${row.event_id}`;
  const known = new Map(recorded.map((row) => [idOf(row), row.attempts]));
  const requests = Map.groupBy(receipts, ({ path, webhookId }) => `${path} ${webhookId}`);
  const bodies = Map.groupBy(receipts, ({ webhookId }) => webhookId);
  const more = [...requests].map(([id, made]) => [id, made.length - (known.get(id) ?? 0)] as const);
  return {
    requests: receipts.length,
    beyond: new Map(more.filter(([, n]) => n > 0)),
    unmade: recorded.filter((row) => row.answered > (requests.get(idOf(row))?.length ?? 0)),
    unanswered: Object.fromEntries(unanswered.map(({ why, n }) => [why, n])),
    gaps: recorded.filter(
      ({ attempts, numbers }) =>
        attempts > 12 || attempts !== numbers.length || numbers.some((n, i) => n !== i + 1),
    ),
    unsigned: receipts.filter(({ verified }) => !verified).map(({ webhookId }) => webhookId),
    unlike: [...bodies]
      .filter(([, made]) => new Set(made.map(({ body }) => body)).size > 1)
      .map(([id]) => id),
  };
}
