import { said } from '../../../automated/answers.ts';
import type { InWorkspace } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import type { Definition } from '../../definition/language.ts';
import type { Facts } from './matching.ts';

/** Something that happened to a person, as it was stored. */
export interface Happening {
  readonly id: string;
  /** Set if it starts one automation by name, whatever that listens to. */
  readonly automationId: string | null;
  readonly contactId: string | null;
  readonly conversationId: string | null;
  readonly trigger: { readonly type: string; readonly ref: string | null };
  readonly data: Readonly<Record<string, unknown>>;
  readonly chain: readonly string[];
  readonly causeRunId: string | null;
  readonly createdAt: Date;
  /** For a message: when the first of its conversation that waits for a call, or failed a moment ago, is tried again. */
  readonly behind: Date | null;
}

/**
 * How often acting on a message may fail while later ones wait behind it: for seven seconds, as a database may be away.
 * One that fails for longer must not silence its conversation.
 */
const PATIENT_TRIES = 3;

// Locks it together with its conversation before anything is read, so that the conversation's assignment stays the
// same until what this starts has begun.
const LOCK = `
with happening as (
  select * from automation_triggers where organization_id = $1 and id = $2 for update),
talk as materialized (
  select v.id from conversations v, happening h where v.organization_id = $1 and v.id = h.conversation_id
  for no key update of v)
select id, automation_id as "automationId", contact_id as "contactId", conversation_id as "conversationId", trigger, data,
  chain, cause_run_id as "causeRunId", created_at as "createdAt", (
    select e.not_before from automation_triggers e
    where e.organization_id = $1 and e.contact_id = h.contact_id and e.conversation_id = h.conversation_id
      and h.trigger ->> 'type' = 'message_received' and e.id < h.id and e.tries <= ${PATIENT_TRIES} and e.not_before > '-infinity'
    order by e.id limit 1) as behind
from happening h where (select count(*) from talk) >= 0`;

/** Locked until the transaction ends; null if another process has acted on it. */
export const lockHappening = (at: InWorkspace, id: string): Promise<Happening | null> =>
  first<Happening>(at.sql, LOCK, [at.organizationId, id], 'lock-trigger');

export const forgetHappening = (at: InWorkspace, id: string): Promise<unknown> =>
  at.sql.rows(
    'delete from automation_triggers where organization_id = $1 and id = $2',
    [at.organizationId, id],
    'forget-trigger',
  );

const PUT_OFF = `
update automation_triggers set not_before = coalesce($3, now() + interval '1 second')
where organization_id = $1 and id = $2`;

/** To be looked at again then, or in a second. */
export const putOffHappening = (
  at: InWorkspace,
  id: string,
  until: Date | null = null,
): Promise<unknown> => at.sql.rows(PUT_OFF, [at.organizationId, id, until], 'put-off-trigger');

/** An active automation that may act on a happening, in its published version. */
export interface Listener {
  readonly id: string;
  readonly definition: Pick<Definition, 'trigger' | 'entry'>;
  /** Whether the happening names it. */
  readonly named: boolean;
}

/** Triggers that a message may concern besides those for its own type. */
const OF_MESSAGES = ['first_message', 'conversation_opened', 'campaign_replied'];

const LISTENING = `
select a.id, jsonb_build_object('trigger', v.definition->'trigger', 'entry', v.definition->'entry') as definition,
  coalesce(a.id = $3, false) as named
from automations a join automation_versions v
  on v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version
where a.organization_id = $1 and a.status = 'active' and (a.trigger_type = any ($2) or a.id = $3)
order by coalesce((v.definition #>> '{entry,priority}')::int, 0) desc, a.id`;

/** The highest priority first: of two that would wait for a reply, that one listens. */
export const listenersOf = (
  { sql, organizationId }: InWorkspace,
  { automationId, trigger: { type } }: Happening,
): Promise<Listener[]> => {
  const types = type === 'message_received' ? [type, ...OF_MESSAGES] : [type];
  return sql.rows(LISTENING, [organizationId, types, automationId], 'listening-automations');
};

const MESSAGE = `
select m.text, m.number_id as "numberId", not exists (
  select from messages e where e.organization_id = $1 and e.conversation_id = m.conversation_id
    and e.direction = 'inbound' and e.id < m.id and ${said('e')}) as "isFirst"
from messages m where m.organization_id = $1 and m.id = $2`;

interface Written {
  readonly text: string;
  readonly numberId: string;
  readonly isFirst: boolean;
}

/** What triggers ask about. */
export async function factsOf(
  { sql, organizationId }: InWorkspace,
  { trigger: { type, ref }, data }: Happening,
): Promise<Facts> {
  const message =
    type === 'message_received'
      ? await first<Written>(sql, MESSAGE, [organizationId, ref], 'triggering-message')
      : null;
  const word = (name: string): string | null =>
    typeof data[name] === 'string' ? data[name] : null;
  return {
    type,
    numberId: message?.numberId ?? word('number_id'),
    text: message?.text ?? '',
    // The messages of long ago may be deleted.
    isFirst: message?.isFirst === true && data['wrote_before'] !== true,
    opened: data['opened'] === true,
    campaignId: word('campaign_id'),
    createdVia: word('created_via'),
    tags: (data['tags'] ?? []) as Facts['tags'],
    fields: (data['fields'] ?? []) as Facts['fields'],
    pipelineId: word('pipeline_id'),
    stageId: word('stage_id'),
    formId: word('form_id'),
  };
}
