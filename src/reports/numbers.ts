import { visibleNumbers } from '../access/visibility.ts';
import type { ReadContext } from '../context.ts';
import { binding } from '../db/sql.ts';
import { canSend, type NumberStatus } from '../numbers/rules.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import { frameOf } from './frame.ts';
import { periodOf, type Range, withPrevious } from './period.ts';
import type { NumbersReport, ReportQuery } from './schema.ts';
import { overRows, sourcesOf } from './sources.ts';

/**
 * What the numbers sent, what arrived, and why the rest failed (specification, Reports). A member may see conversations of
 * numbers that are not theirs: these count in none of the sums, which are those of the numbers listed.
 */
export async function numbersReport(ctx: ReadContext, query: ReportQuery): Promise<NumbersReport> {
  const timeZone = await timeZoneOf(ctx);
  const period = periodOf(query, timeZone, ctx.now);
  const numbers = await numbersOf(ctx, query);
  const listed = new Set(numbers.map(({ id }) => id));
  const sums = await sumsOf(ctx, query, withPrevious(period), timeZone);
  const both = sums.filter((row) => listed.has(row.number_id));
  const rows = both.filter(({ day }) => day >= period.from);
  const before = both.filter(({ day }) => day < period.from);
  const days = period.days.map(({ day }) => day);
  return {
    ...frameOf(ctx, period, timeZone),
    ...totals(rows),
    numbers: numbers.map((number) => presentNumber(number, rows, days)),
    days,
    previous: totals(before),
  };
}

interface Sums {
  readonly number_id: string;
  readonly day: string;
  readonly attempted: number;
  readonly delivered: number;
  readonly lost: number;
  readonly no_whatsapp: number;
  readonly no_recipient: number;
  readonly throttled: number;
  readonly out_of_window: number;
}

const SUMMED = [
  'attempted',
  'delivered',
  'lost',
  'no_whatsapp',
  'no_recipient',
  'throttled',
  'out_of_window',
] as const;

async function sumsOf(
  ctx: ReadContext,
  query: ReportQuery,
  range: Range,
  timeZone: string,
): Promise<Sums[]> {
  const sources = await sourcesOf(ctx, query, range, timeZone);
  const sums = SUMMED.map((name) => `sum(${name})::int as ${name}`).join(', ');
  return overRows<Sums>(
    sources,
    'report_message_days',
    () => `select number_id, day, ${sums} from rows group by number_id, day`,
  );
}

function totals(rows: readonly Sums[]) {
  const sum = (name: (typeof SUMMED)[number]): number =>
    rows.reduce((total, row) => total + row[name], 0);
  return {
    attempted: sum('attempted'),
    delivered: sum('delivered'),
    lost: sum('lost'),
    reasons: {
      no_whatsapp: sum('no_whatsapp'),
      no_recipient: sum('no_recipient'),
      throttled: sum('throttled'),
      out_of_window: sum('out_of_window'),
    },
  };
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: NumberStatus;
  readonly down_since: Date;
}

function numbersOf(ctx: ReadContext, query: ReportQuery): Promise<Listed[]> {
  const { params, bind } = binding(ctx.organizationId, query.number ?? null);
  return ctx.sql.rows<Listed>(
    `select n.id, n.name, n.status, coalesce(n.down_since, n.status_changed_at) as down_since
     from numbers n
     where n.organization_id = $1 and ($2::text is null or n.id = $2) and ${visibleNumbers(ctx.actor, 'n', bind)}
     order by n.id desc`,
    params,
  );
}

function presentNumber(
  { id, name, status, down_since }: Listed,
  rows: readonly Sums[],
  days: readonly string[],
): NumbersReport['numbers'][number] {
  const own = rows.filter((row) => row.number_id === id);
  const delivered = new Map(own.map((row) => [row.day, row.delivered]));
  return {
    id,
    name,
    status,
    disconnected_at: canSend(status) ? null : down_since.toISOString(),
    attempted: own.reduce((sum, row) => sum + row.attempted, 0),
    delivered: own.reduce((sum, row) => sum + row.delivered, 0),
    days: days.map((day) => delivered.get(day) ?? 0),
  };
}
