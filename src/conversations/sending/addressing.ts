import { visibleConversations, visibleThrough } from '../../access/visibility.ts';
import { countContacts } from '../../contacts/counting.ts';
import { blankDraft, provenanceOf } from '../../contacts/drafts.ts';
import { findByPhone } from '../../contacts/identity/identities.ts';
import { requirePhone } from '../../contacts/identity/phones.ts';
import { requireContact } from '../../contacts/known.ts';
import { addContacts } from '../../contacts/writing.ts';
import type { Context } from '../../context.ts';
import { binding, first } from '../../db/sql.ts';
import { AppError, notFound } from '../../errors.ts';
import { CAN_ANSWER } from '../../members/assigning.ts';
import { requireNumber } from '../../numbers/known.ts';
import { checkQuota } from '../../workspaces/plans.ts';
import { lockConversation } from '../queries.ts';
import { openConversation } from './opening.ts';
import type { AddressedMessage } from './schema.ts';

interface Addressee {
  readonly conversationId: string;
  /** The phone that was asked for, as the contact has it. */
  readonly toPhone?: string;
}

/**
 * The conversation that a message belongs to, created if there is none. Throws 422 `unknown_*` for an addressee that
 * does not exist.
 */
export async function addresseeOf(tx: Context, body: AddressedMessage): Promise<Addressee> {
  const { number_id: numberId, contact_id: contactId, group_id: groupId, phone } = body;
  await requireNumber(tx, numberId);
  if (groupId !== undefined)
    return { conversationId: await groupConversation(tx, numberId, groupId) };
  if (contactId !== undefined) {
    await requireContact(tx, contactId);
    return { conversationId: await opened(tx, numberId, contactId) };
  }
  const { id, toPhone } = await personBehind(tx, phone ?? '');
  return { conversationId: await opened(tx, numberId, id), toPhone };
}

async function groupConversation(tx: Context, numberId: string, groupId: string): Promise<string> {
  const { params, bind } = binding(tx.organizationId, groupId, numberId);
  const seen = visibleThrough(tx.actor, 'g', bind);
  const row = await first<{ id: string }>(
    tx.sql,
    `select g.conversation_id as id from groups g
     where g.organization_id = $1 and g.id = $2 and g.number_id = $3 and ${seen}`,
    params,
  );
  if (row) return row.id;
  throw new AppError('unknown_group', 'The number is in no such group.', { group_id: groupId });
}

/** The group's conversation, or null. Whether the actor may see it is checked when it is locked. */
export async function conversationOfGroup(
  { sql, organizationId }: Context,
  groupId: string,
): Promise<string | null> {
  const row = await first<{ id: string }>(
    sql,
    'select conversation_id as id from groups where organization_id = $1 and id = $2',
    [organizationId, groupId],
  );
  return row?.id ?? null;
}

async function personBehind(
  tx: Context,
  written: string,
): Promise<{ id: string; toPhone: string }> {
  const phone = requirePhone(written);
  const known = await findByPhone(tx, phone.e164);
  if (known) return { id: known.id, toPhone: known.spelling };
  await checkQuota(tx, 'contacts', () => countContacts(tx));
  const [added] = await addContacts(tx, [{ ...blankDraft(), phone }], provenanceOf(tx.actor));
  if (added) return { id: added.id, toPhone: phone.e164 };
  // A concurrent transaction created the same contact.
  const meanwhile = await findByPhone(tx, phone.e164);
  if (meanwhile) return { id: meanwhile.id, toPhone: meanwhile.spelling };
  throw new AppError('conflict', 'The contact was changed at the same moment.');
}

/** The conversation with a person, begun if there is none. Throws 404 for one that the actor cannot see. */
export async function conversationWith(
  tx: Context,
  numberId: string,
  contactId: string,
): Promise<string> {
  const id = await opened(tx, numberId, contactId);
  if (!(await lockConversation(tx, id))) throw notFound('conversation');
  return id;
}

/** Throws 404, as a message to them would, if there is a conversation with a person that the actor cannot see. */
export async function requireSeen(
  { sql, organizationId, actor }: Context,
  numberId: string,
  contactId: string,
): Promise<void> {
  const { params, bind } = binding(organizationId, numberId, contactId);
  const hidden = await first(
    sql,
    `select 1 from conversations c where c.organization_id = $1 and c.number_id = $2 and c.contact_id = $3
       and (${visibleConversations(actor, 'c', bind)}) is not true`,
    params,
  );
  if (hidden) throw notFound('conversation');
}

/** A new conversation that a member starts is assigned to that member, unless they are suspended at this moment. */
async function opened(tx: Context, numberId: string, contactId: string): Promise<string> {
  const { actor, organizationId, sql } = tx;
  const pair = { numberId, contactId };
  if (actor.type !== 'member') return openConversation(tx, pair);
  const known = await first<{ id: string }>(
    sql,
    'select id from conversations where organization_id = $1 and number_id = $2 and contact_id = $3',
    [organizationId, numberId, contactId],
  );
  if (known) return known.id;
  const id = await openConversation(tx, pair);
  await sql.rows(
    `update conversations set assigned_member_id = $3,
       assigned_team_id = case when assigned_team_id = any($4::text[]) then assigned_team_id end
     where organization_id = $1 and id = $2 and assigned_member_id is null and exists (
       select from members m where m.organization_id = $1 and m.id = $3 and ${CAN_ANSWER}
       for key share)`,
    [organizationId, id, actor.id, actor.teamIds],
  );
  return id;
}
