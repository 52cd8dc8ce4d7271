import type { Context } from '../../context.ts';
import { first, wordsIn } from '../../db/sql.ts';
import { HOUR_MS } from '../../durations.ts';
import { recordTriggers, type Trigger } from '../../outbox/happenings.ts';
import type { Definition } from '../definition/language.ts';
import { noteDrop } from '../running/dropped-triggers.ts';

const CLOCK_TYPES = [
  'no_reply',
  'date_field',
  'schedule',
  'segment_entered',
  'segment_left',
] as const;
type ClockType = (typeof CLOCK_TYPES)[number];
export type ClockTrigger<T extends ClockType = ClockType> = Extract<
  Definition['trigger'],
  { readonly type: T }
>;

/** How far an automation with a time-based trigger has been processed. */
export interface Clock {
  readonly automationId: string;
  readonly trigger: ClockTrigger;
  /** How often the automation had begun anew; what is started now starts nothing after the next time. */
  readonly begunAnew: number;
  /** Everything due until then has been processed. */
  readonly seenUntil: Date;
  /** A look in progress: the moment it covers, and the contact after which it continues. */
  readonly lookUntil: Date | null;
  readonly lookAfter: string | null;
  /** For segment triggers: the current members have been recorded. */
  readonly remembered: boolean;
  /** For triggers at a local time: the last day, `YYYY-MM-DD`, on which people were started; no day comes twice. */
  readonly seenDay: string | null;
  /** The moment that the last look should have reached; null unless it failed. */
  readonly failedAt: Date | null;
}

/** People per page, and how late something missed may still start (design decisions §10). */
export const PAGE = 500;
export const LATEST_MS = HOUR_MS;

/** SQL: whether an automation's time comes by the clock; there is a partial index of those that are active. */
export const BY_THE_CLOCK = `trigger_type in ${wordsIn(CLOCK_TYPES)}`;

const WIND = `
insert into automation_clocks (organization_id, automation_id, trigger, seen_until)
select a.organization_id, a.id, v.definition->'trigger', v.created_at
from automations a join automation_versions v
  on v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version
where a.organization_id = $1 and a.status = 'active' and a.${BY_THE_CLOCK}
  and not exists (select from automation_clocks k
    where k.organization_id = $1 and k.automation_id = a.id and k.trigger = v.definition->'trigger')
on conflict (organization_id, automation_id) do update
  set trigger = excluded.trigger, seen_until = excluded.seen_until, look_until = null, look_after = null, remembered = false,
    seen_day = null`;

/** Creates the clock of each active automation; what was due before its version was published starts nothing. */
export const windClocks = ({ sql, organizationId }: Context): Promise<unknown> =>
  sql.rows(WIND, [organizationId], 'wind-clocks');

const REWIND = `
with anew as (
  update automations a set begun_anew = a.begun_anew + 1 from automation_versions v
  where a.organization_id = $1 and a.id = $2 and v.organization_id = $1 and v.automation_id = a.id and v.version = a.version
    and (a.status <> 'active' or v.definition->'trigger' <> a.draft->'trigger')
  returning a.id)
update automation_clocks k set seen_until = $3, look_until = null, look_after = null, remembered = false
from anew where k.organization_id = $1 and k.automation_id = anew.id`;

/**
 * Before the draft is published: while the automation was inactive or had another trigger nothing was processed, so it
 * begins anew, records its segment again, and starts nobody whom it queued before. The last day stays: off and on again,
 * it comes no second time.
 */
export const rewindClock = (
  { sql, organizationId, now }: Context,
  automationId: string,
): Promise<unknown> => sql.rows(REWIND, [organizationId, automationId, now], 'rewind-clock');

const NEXT = `
select k.automation_id as "automationId", k.trigger, a.begun_anew as "begunAnew", k.seen_until as "seenUntil", k.look_until as "lookUntil",
  k.look_after as "lookAfter", k.remembered, k.seen_day as "seenDay", k.failed_at as "failedAt"
from automation_clocks k join automations a on a.organization_id = k.organization_id and a.id = k.automation_id
where k.organization_id = $1 and a.status = 'active' and a.trigger_type = k.trigger ->> 'type' and k.seen_until < $2
  and (k.failed_at is null or k.failed_at < $2)
order by k.seen_until, k.automation_id limit 1 for update of k skip locked`;

/**
 * Of the clocks that have not reached this moment, and whose look at it has not failed, the one furthest behind, so that
 * none waits for ever; locked until the transaction ends. The clock of a trigger that was exchanged for one of another
 * kind, such as a message, stands still.
 */
export const nextClock = ({ sql, organizationId }: Context, until: Date): Promise<Clock | null> =>
  first<Clock>(sql, NEXT, [organizationId, until], 'next-clock');

const WRITE = `
update automation_clocks set seen_until = coalesce($3, seen_until), look_until = $4, look_after = $5,
  remembered = coalesce($6, remembered), seen_day = coalesce($7::date, seen_day), failed_at = $8
where organization_id = $1 and automation_id = $2`;

/** Fields left out are reset, as at the end of a look: the page it had reached, where that began, and a failure. */
export const writeClock = (
  { sql, organizationId }: Context,
  automationId: string,
  { seenUntil, lookUntil, lookAfter, remembered, seenDay, failedAt }: Partial<Clock>,
): Promise<unknown> =>
  sql.rows(
    WRITE,
    [
      organizationId,
      automationId,
      seenUntil ?? null,
      lookUntil ?? null,
      lookAfter ?? null,
      remembered ?? null,
      seenDay ?? null,
      failedAt ?? null,
    ],
    'write-clock',
  );

export interface Found {
  readonly contactId: string;
  readonly conversationId: string | null;
  readonly ref: string | null;
  /** The run whose doing it is. */
  readonly cause?: Trigger['cause'];
}

/** Steps that send something to the person. */
const SPEAKING = ['send_message', 'send_media', 'send_template', 'ask', 'ai_reply'];

const OPTED_OUT = `
select c.id from contacts c
where c.organization_id = $1 and c.id = any ($3) and c.opted_out and exists (
  select from automations a join automation_versions v
    on v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version
  where a.organization_id = $1 and a.id = $2 and v.definition #>> '{steps,0,type}' = any ($4))`;

/**
 * Starts the automation for these people; its entry rules decide about each. If it begins by sending something,
 * people who opted out are left out and counted, because their runs would fail each time.
 */
export async function startFor(
  tx: Context,
  { automationId, trigger, begunAnew }: Clock,
  found: readonly Found[],
): Promise<void> {
  const ids = found.map(({ contactId }) => contactId);
  const params = [tx.organizationId, automationId, ids, SPEAKING];
  const out = await tx.sql.rows<{ id: string }>(OPTED_OUT, params, 'opted-out-of-start');
  const left = new Set(out.map(({ id }) => id));
  if (left.size > 0) await noteDrop(tx, automationId, 'opted_out', left.size);
  const started = found
    .filter(({ contactId }) => !left.has(contactId))
    .map(
      ({ contactId, conversationId, ref, cause }): Trigger => ({
        automationId,
        contactId,
        conversationId,
        trigger: { type: trigger.type, ref },
        data: { begun_anew: begunAnew },
        cause,
      }),
    );
  await recordTriggers(tx, started);
}
