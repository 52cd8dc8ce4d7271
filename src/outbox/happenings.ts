import type { Actor } from '../access/actor.ts';
import type { Context } from '../context.ts';
import { newId } from '../ids.ts';

/** Something that happened to a person, for automations that listen for it (design decisions §9). */
export interface Happened {
  /** The type of a trigger, such as `tag_added`. */
  readonly type: string;
  readonly contactId: string;
  readonly conversationId?: string | null;
  /** The id of the record behind it, such as a submission. */
  readonly ref: string | null;
  /** What triggers of this type ask about. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** An automation started by name, whatever it listens for. */
  readonly automationId?: string | null;
}

/**
 * A happening that starts no automation but that a run may be waiting for: a removed tag, a number that can send
 * again.
 */
export const CHANGED = 'changed';

/** Something that happened to a person and starts one automation by name. */
export interface Trigger {
  readonly automationId: string;
  readonly contactId: string;
  readonly conversationId: string | null;
  readonly trigger: { readonly type: string; readonly ref: string | null };
  readonly data?: Readonly<Record<string, unknown>>;
  /** The run behind it, where the caller is another: the clock, for what a run left behind. */
  readonly cause?: Cause | undefined;
}

/** A person's message, for automations that listen and for the run that waits in its conversation. */
export interface Written {
  readonly messageId: string;
  readonly contactId: string;
  readonly conversationId: string;
  /** Whether it created or reopened the conversation. */
  readonly opened: boolean;
  /** Whether the person had written there before. */
  readonly wroteBefore: boolean;
  /** The campaign to which it is the first reply. */
  readonly campaignId: string | null;
}

type Recording = Pick<Context, 'sql' | 'organizationId' | 'actor' | 'now' | 'recorded'>;

/**
 * Records happenings in the caller's transaction, but only if an active automation listens for one or is named, or a
 * run of the person waits for a condition. What happens while an automation is inactive never starts a run later. The
 * caller neither waits for runs nor knows how automations work.
 */
export const recordHappenings = (tx: Recording, happened: readonly Happened[]): Promise<void> =>
  keep(tx, happened.map(plain));

const plain = (one: Happened): Kept => ({ ...one, listeners: [one.type], awaited: false });

// A run that has no conversation yet waits for any number to speak on, unless its step waits for something else.
const AWAY = `
select distinct r.contact_id as "contactId" from automation_runs r
left join conversations v on v.organization_id = r.organization_id and v.id = r.conversation_id
where r.organization_id = $1 and r.waits_for = 'condition' and r.status = 'waiting' and r.contact_id is not null
  and (v.number_id = $2 or r.conversation_id is null and (select s.type from automation_run_steps s
    where s.organization_id = r.organization_id and s.run_id = r.id and s.seq = r.steps_taken) <> 'wait_until')`;

/** A number can send again: runs that wait for it check at once. */
export async function recordNumberBack(tx: Recording, numberId: string): Promise<void> {
  const params = [tx.organizationId, numberId];
  const waiting = await tx.sql.rows<{ contactId: string }>(AWAY, params, 'runs-without-number');
  await recordHappenings(
    tx,
    waiting.map(({ contactId }) => ({ type: CHANGED, contactId, ref: numberId })),
  );
}

/** Something happened that starts a single automation. */
export const recordTrigger = (tx: Recording, trigger: Trigger): Promise<void> =>
  recordTriggers(tx, [trigger]);

/** `recordTrigger` for many people in one statement. */
export const recordTriggers = (tx: Recording, triggers: readonly Trigger[]): Promise<void> =>
  keep(
    tx,
    triggers.map(({ trigger, ...named }) => ({
      ...trigger,
      ...named,
      listeners: [],
      awaited: false,
    })),
  );

/**
 * A message came in: it is stored as one happening, however many triggers it matches.
 *
 * @param before what happened to the person before it, in the same transaction
 */
export const recordWritten = (
  tx: Recording,
  written: Written,
  before: readonly Happened[] = [],
): Promise<void> => {
  const { messageId, contactId, conversationId, opened, wroteBefore, campaignId } = written;
  const listeners = [
    'message_received',
    'first_message',
    ...(opened ? ['conversation_opened'] : []),
    ...(campaignId ? ['campaign_replied'] : []),
  ];
  const data = { opened, wrote_before: wroteBefore, campaign_id: campaignId };
  const type = 'message_received';
  const message = { type, ref: messageId, contactId, conversationId, data, listeners };
  return keep(tx, [...before.map(plain), { ...message, awaited: true }]);
};

const UNHEARD = `
update automation_runs set replies_after = $3
where organization_id = $1 and conversation_id = $2 and status in ('running', 'waiting')
  and (replies_after is null or replies_after < $3)`;

/**
 * In the caller's transaction, which has locked the conversation: marks this message, which opts out or in, as no
 * run's reply.
 */
export const recordUnheard = (
  { sql, organizationId }: Recording,
  { messageId, conversationId }: Pick<Written, 'messageId' | 'conversationId'>,
): Promise<unknown> =>
  sql.rows(UNHEARD, [organizationId, conversationId, messageId], 'unheard-message');

/** A run, and the automations that led to it, its own the last. */
type Cause = NonNullable<Extract<Actor, { readonly type: 'automation' }>['run']>;

interface Kept extends Happened, Pick<Trigger, 'cause'> {
  /** Types of automations that would act on it. */
  readonly listeners: readonly string[];
  /**
   * Whether a run that waits for a reply would act on it too, or one that is taking steps and may listen afterwards.
   */
  readonly awaited: boolean;
}

const KEEP = `
insert into automation_triggers (organization_id, id, automation_id, contact_id, conversation_id, trigger, data, chain,
  cause_run_id, created_at)
select $1, h.id, n.id, h.contact_id, h.conversation_id, jsonb_build_object('type', h.type, 'ref', h.ref), h.data, h.chain,
  h.cause_run_id, $3
from jsonb_to_recordset($2::jsonb) as h (id text, type text, contact_id text, conversation_id text, ref text, data jsonb,
  automation_id text, listeners text[], awaited boolean, chain text[], cause_run_id text)
left join automations n on n.organization_id = $1 and n.id = h.automation_id and n.status = 'active'
where n.id is not null
  or exists (select from automations a
    where a.organization_id = $1 and a.status = 'active' and a.trigger_type = any (h.listeners))
  or h.awaited and exists (select from automation_runs r
    where r.organization_id = $1 and r.conversation_id = h.conversation_id
      and (r.status = 'running' or r.waits_for = 'reply' and r.status = 'waiting'))
  or exists (select from automation_runs r
    where r.organization_id = $1 and r.contact_id = h.contact_id and r.waits_for = 'condition' and r.status = 'waiting')
returning id`;

async function keep(tx: Recording, happened: readonly Kept[]): Promise<void> {
  if (happened.length === 0) return;
  // What an automation's run does carries the automations that led to it, so that none starts itself again.
  const run = tx.actor.type === 'automation' ? tx.actor.run : undefined;
  const rows = happened.map(({ cause = run, ...one }) => ({
    id: newId('fct'),
    type: one.type,
    contact_id: one.contactId,
    conversation_id: one.conversationId ?? null,
    ref: one.ref,
    data: one.data ?? {},
    automation_id: one.automationId ?? null,
    listeners: one.listeners,
    awaited: one.awaited,
    chain: cause?.chain ?? [],
    cause_run_id: cause?.id ?? null,
  }));
  const params = [tx.organizationId, JSON.stringify(rows), tx.now];
  const kept = await tx.sql.rows(KEEP, params, 'keep-triggers');
  if (kept.length > 0) tx.recorded.add('triggers');
}
