import { audit } from '../audit/service.ts';
import { endRuns } from '../automated/runs.ts';
import type { Context } from '../context.ts';
import { advisoryLockShared } from '../db/advisory-locks.ts';
import { transact } from '../db/transact.ts';
import { rememberOptOut } from './opt-outs/list.ts';
import { skipPending } from './opt-outs/opting-out.ts';
import { lockPerson } from './person.ts';
import { requireVisible } from './visibility.ts';

/** What another feature does about a contact that is being deleted. */
export type DeletionHook = (tx: Context, gone: { readonly contactId: string }) => Promise<void>;

/**
 * Deletes a person with their conversations, messages and deals. Counts stay: recipients of campaigns, submissions of
 * forms, runs of automations, which end, and the figures of reports remain without a name, phone or answer. Campaigns
 * still waiting to reach the person skip them (`no_recipient`), and their reminders are cancelled. An opt-out outlives
 * the person as a hash of each identity. Throws 403 for conversations that the actor cannot see, and 404.
 */
export const deleteContact = (
  ctx: Context,
  id: string,
  hooks: readonly DeletionHook[],
): Promise<{ id: string; deleted: true }> =>
  transact(ctx, async (tx) => {
    const { name } = await lockPerson(tx, id, 'key');
    await requireVisible(tx, id);
    await rememberOptOut(tx, id);
    // A page of an audience with this person in it is written down before this, or does not find them.
    await advisoryLockShared(tx.sql, 'audience', tx.organizationId);
    await skipPending(tx, id, 'no_recipient');
    await tx.sql.rows(FORGET_RECIPIENTS, [tx.organizationId, id]);
    await forgetAnswers(tx, id);
    await endRuns(tx, 'cancelled', { where: 'r.contact_id = $4', params: [id] });
    for (const hook of hooks) await hook(tx, { contactId: id });
    for (const statement of GONE) await tx.sql.rows(statement, [tx.organizationId, id]);
    await audit(tx, { action: 'contact.deleted', target: { type: 'contact', id, name } });
    return { id, deleted: true };
  });

const FORGET_RECIPIENTS = `
update campaign_recipients set phone = '', text = '', contact_id = null, identity_key = id
where organization_id = $1 and contact_id = $2`;

/** Empties the answers of forms, as if each field had been left blank. */
const forgetAnswers = (tx: Context, id: string): Promise<unknown> =>
  tx.sql.rows(
    `update form_submissions set answers = coalesce(
       (select json_object_agg(a.key, a.value::jsonb || '{"value": null}') from json_each(answers) a), '{}')
     where organization_id = $1 and contact_id = $2`,
    [tx.organizationId, id],
  );

const OF_CONTACT = `(select v.id from conversations v where v.organization_id = $1 and v.contact_id = $2)`;

/** Referencing rows first, then what they refer to. */
const GONE = [
  // A transaction about to write into one of these conversations waits for this lock, and then finds it gone.
  `select v.id from conversations v where v.organization_id = $1 and v.contact_id = $2 order by v.id for update`,
  'delete from automation_triggers where organization_id = $1 and contact_id = $2',
  'delete from deals where organization_id = $1 and contact_id = $2',
  `update deals set conversation_id = null where organization_id = $1 and conversation_id in ${OF_CONTACT}`,
  // What the person answered and what servers said. That a run failed, and why, is a count; its words may quote them.
  `update automation_run_steps s set output = null, error = s.error || '{"message": ""}'
   from automation_runs r where r.organization_id = $1 and r.contact_id = $2 and s.organization_id = $1 and s.run_id = r.id`,
  `update automation_runs set error = error || '{"message": ""}' where organization_id = $1 and contact_id = $2`,
  `update automation_runs set conversation_id = null where organization_id = $1 and conversation_id in ${OF_CONTACT}`,
  // What the person sent, and what was sent to them from the handset. A file of ours, or of somebody else, that was sent
  // into these conversations stays: it is in none of them.
  `delete from media where organization_id = $1 and conversation_id in ${OF_CONTACT} and id in (
     select m.media_id from messages m where m.organization_id = $1 and m.conversation_id in ${OF_CONTACT})`,
  `delete from messages where organization_id = $1 and conversation_id in ${OF_CONTACT}`,
  'delete from conversations where organization_id = $1 and contact_id = $2',
  'delete from contacts where organization_id = $1 and id = $2',
];
