import type { Context } from '../../context.ts';
import { binding } from '../../db/sql.ts';
import { momentOf, rulesOf, segmentCondition } from '../../segments/service.ts';
import { withinTimeLimit } from '../../segments/time-limit.ts';
import { withCauses } from './causes.ts';
import { type Clock, type ClockTrigger, type Found, PAGE, startFor } from './clocks.ts';

const REMEMBERED_AT_ONCE = 5_000;

/**
 * Starts runs for a page of people who entered or left a segment since the last look. The first look only records who
 * is in it.
 */
export async function lookAtSegment(
  tx: Context,
  clock: Clock,
  { type, segment_id: segmentId }: ClockTrigger<'segment_entered' | 'segment_left'>,
  until: Date,
): Promise<Partial<Clock>> {
  if (!clock.remembered) return remember(tx, clock, segmentId, until);
  const entered = await withinTimeLimit(tx.sql, () => change(tx, clock, segmentId, ENTERED));
  const left = await withinTimeLimit(tx.sql, () => change(tx, clock, segmentId, LEFT));
  const found = (type === 'segment_entered' ? entered : left).map(
    (contactId): Found => ({ contactId, conversationId: null, ref: segmentId }),
  );
  await startFor(tx, clock, await withCauses(tx, clock.automationId, found, clock.seenUntil));
  return entered.length < PAGE && left.length < PAGE ? { seenUntil: until } : {};
}

/** `{in}` stands for whether contact `c` is in the segment. */
const REMEMBER = `
insert into automation_segment_members (organization_id, automation_id, contact_id)
select $1, $2, c.id from contacts c where c.organization_id = $1 and c.id > $3 and {in}
order by c.id limit ${REMEMBERED_AT_ONCE}
on conflict do nothing returning contact_id as id`;

const ENTERED = `
insert into automation_segment_members (organization_id, automation_id, contact_id)
select $1, $2, c.id from contacts c where c.organization_id = $1 and c.id > $3 and {in}
  and not exists (select from automation_segment_members m
    where m.organization_id = $1 and m.automation_id = $2 and m.contact_id = c.id)
order by c.id limit ${PAGE}
on conflict do nothing returning contact_id as id`;

const LEFT = `
delete from automation_segment_members where organization_id = $1 and automation_id = $2 and contact_id = any (array(
  select m.contact_id from automation_segment_members m
  join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
  where m.organization_id = $1 and m.automation_id = $2 and m.contact_id > $3 and not {in}
  order by m.contact_id limit ${PAGE}))
returning contact_id as id`;

const FORGET =
  'delete from automation_segment_members where organization_id = $1 and automation_id = $2';

async function remember(
  tx: Context,
  clock: Clock,
  segmentId: string,
  until: Date,
): Promise<Partial<Clock>> {
  const { automationId, lookAfter } = clock;
  if (lookAfter === null) await tx.sql.rows(FORGET, [tx.organizationId, automationId]);
  const ids = await withinTimeLimit(tx.sql, () => change(tx, clock, segmentId, REMEMBER));
  const last = ids.reduce((a, b) => (a > b ? a : b), '');
  return ids.length < REMEMBERED_AT_ONCE
    ? { seenUntil: until, remembered: true }
    : { lookUntil: until, lookAfter: last };
}

async function change(
  tx: Context,
  { automationId, lookAfter }: Clock,
  segmentId: string,
  statement: string,
): Promise<string[]> {
  const rules = await rulesOf(tx, segmentId);
  // If the segment was deleted, no one is in it, and no one has left it either.
  if (!rules) return [];
  const { params, bind } = binding(tx.organizationId, automationId, lookAfter ?? '');
  const condition = segmentCondition(rules, bind, await momentOf(tx));
  const rows = await tx.sql.rows<{ id: string }>(
    statement.replace('{in}', () => condition),
    params,
  );
  return rows.map(({ id }) => id);
}
