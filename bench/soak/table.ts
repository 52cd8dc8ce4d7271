import type { Kind } from '../support/behaviours.ts';
import type { Ledger } from '../support/receivers.ts';
import { type Sent, waitsOf } from '../support/steady.ts';
import type { WebhookStage } from '../support/webhook-stage.ts';

/** What the service has written down about one event's delivery. */
interface DeliveryRecord {
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** What one endpoint got. */
export interface SoakRow {
  readonly kind: Kind;
  readonly events: number;
  readonly requests: number;
  readonly attempts: number;
  readonly succeeded: number;
  /** Pending or retrying when time was over. */
  readonly open: number;
  readonly failed: number;
  readonly blocked: number;
  readonly errors: string;
  /** Milliseconds from the commit to the first request; not a number when none came. */
  readonly p50: number;
  readonly p99: number;
  /** Events with more requests than attempts that are written down, and by how many at most. */
  readonly doubled: number;
  readonly mostExtra: number;
  /** Events without a delivery, or succeeded although the receiver never answered so. */
  readonly lost: number;
}

/** By event, of one endpoint where each goes to many. */
export async function whatBecameOf(
  stage: Pick<WebhookStage, 'rows'>,
  endpointId: string | null = null,
): Promise<ReadonlyMap<string, DeliveryRecord>> {
  const rows = await stage.rows<{
    id: string;
    status: string;
    attempts: number;
    error: string | null;
  }>(
    `select event_id as id, status, attempts, error from webhook_deliveries
     where $1::text is null or endpoint_id = $1`,
    [endpointId],
  );
  return new Map(rows.map(({ id, ...record }) => [id, record]));
}

export function rowOf(
  kind: Kind,
  sent: ReadonlyMap<string, Sent>,
  ledger: Ledger,
  records: ReadonlyMap<string, DeliveryRecord>,
): SoakRow {
  const ids = [...sent.keys()];
  const kept = ids.flatMap((id) => records.get(id) ?? []);
  const having = (...statuses: string[]): number =>
    kept.filter(({ status }) => statuses.includes(status)).length;
  const extra = ids.map((id) => (ledger.get(id)?.requests ?? 0) - (records.get(id)?.attempts ?? 0));
  const untold = ids.filter(
    (id) => records.get(id)?.status === 'succeeded' && !ledger.get(id)?.accepted,
  );
  const arrived = new Map([...sent].filter(([id]) => ledger.has(id)));
  return {
    kind,
    events: ids.length,
    requests: ids.reduce((sum, id) => sum + (ledger.get(id)?.requests ?? 0), 0),
    attempts: kept.reduce((sum, { attempts }) => sum + attempts, 0),
    succeeded: having('succeeded'),
    open: having('pending', 'retrying', 'held'),
    failed: having('failed'),
    blocked: having('blocked'),
    errors: [...new Set(kept.flatMap(({ error }) => error ?? []))].toSorted().join(', '),
    ...waitsOf(arrived, (id) => ledger.get(id)?.firstAt),
    doubled: extra.filter((more) => more > 0).length,
    mostExtra: Math.max(0, ...extra),
    lost: ids.length - kept.length + untold.length,
  };
}

/** The violations, each as a sentence. A kill may duplicate what was in flight. */
export function judge(rows: readonly SoakRow[], kills: number): string[] {
  return rows.flatMap((row) => {
    const problems: string[] = [];
    if (row.lost > 0) problems.push(`LOST: ${row.lost} events of "${row.kind}"`);
    if (row.mostExtra > kills) problems.push(`DOUBLED: ${row.doubled} events of "${row.kind}"`);
    if (row.kind === 'good' && row.succeeded !== row.events)
      problems.push(`NOT DELIVERED: ${row.events - row.succeeded} events of "${row.kind}"`);
    return problems;
  });
}

const HEADINGS = [
  'the endpoint',
  'events',
  'requests',
  'attempts recorded',
  'succeeded',
  'open',
  'failed',
  'blocked',
  'reasons',
  'p50, ms',
  'p99, ms',
  'doubled',
  'lost',
];

const time = (ms: number): string => (Number.isNaN(ms) ? '' : ms.toFixed(1));

const cellsOf = (row: SoakRow): string[] => [
  row.kind,
  ...[row.events, row.requests, row.attempts, row.succeeded, row.open, row.failed, row.blocked].map(
    String,
  ),
  row.errors,
  time(row.p50),
  time(row.p99),
  String(row.doubled),
  String(row.lost),
];

/** As a table of Markdown, ready for a page: its lines. */
export function tableOf(rows: readonly SoakRow[]): string[] {
  const numbered = rows.map((row, n) => [`${n + 1}. ${row.kind}`, ...cellsOf(row).slice(1)]);
  return [
    `| ${HEADINGS.join(' | ')} |`,
    `|---${'|--:'.repeat(7)}|---${'|--:'.repeat(4)}|`,
    ...numbered.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}
