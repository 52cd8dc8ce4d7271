import { visibleThrough } from '../access/visibility.ts';
import { findByPhone } from '../contacts/identity/identities.ts';
import { parsePhone, UNREADABLE_PHONE } from '../contacts/identity/phones.ts';
import { requireContact } from '../contacts/known.ts';
import type { Context } from '../context.ts';
import { requireSeen } from '../conversations/sending/addressing.ts';
import { variableProblems } from '../conversations/sending/personal-text.ts';
import { binding, first } from '../db/sql.ts';
import { AppError, type FieldProblem, validation } from '../errors.ts';
import { requireNumber } from '../numbers/known.ts';
import { requireSegment } from '../segments/service.ts';
import { fieldProblems, type ToWhom, type When } from './rules.ts';

/** The content of a reminder, as a person gives it. */
export interface Content extends ToWhom, When {
  readonly title: string;
  readonly text: string;
  readonly number_id: string;
  /** Whether it is also sent to people who opted out; only a person may choose that. */
  readonly transactional: boolean;
}

/**
 * Validates a content: the phone in E.164, everything it refers to protected until the transaction ends. Throws 422
 * `validation` with every problem, `unknown_*`, 403 `oauth_required`, and 404 for a conversation that the actor cannot
 * see.
 *
 * @param before what is changed: its text is not judged again
 */
export async function checked(
  tx: Context,
  content: Content,
  before: Content | null = null,
): Promise<Content> {
  const phone = content.phone === null ? null : parsePhone(content.phone);
  const isSaid = content.text === before?.text && content.target === before.target;
  const problems = [...fieldProblems(content), ...(isSaid ? [] : textProblems(content))];
  if (content.phone !== null && !phone && !problems.some(({ path }) => path === 'phone'))
    problems.push(UNREADABLE_PHONE);
  if (problems.length > 0) throw validation(problems);
  refuseKeys(tx, content);
  await requireNumber(tx, content.number_id);
  if (content.contact_id !== null) await requireContact(tx, content.contact_id);
  const personId = content.contact_id ?? (phone && (await findByPhone(tx, phone.e164))?.id);
  if (personId) await requireSeen(tx, content.number_id, personId);
  await requireGroup(tx, content.group_id, content.number_id);
  if (content.segment_id !== null) await requireSegment(tx, content.segment_id, 'segment_id');
  return { ...content, phone: phone?.e164 ?? null };
}

/** The variables of campaigns (design decisions §6); a group has only a name. */
const textProblems = ({ text, target }: Content): FieldProblem[] =>
  variableProblems(text, target === 'group' ? 'group' : 'person');

/** A key is not a person who could answer for messages to people who opted out. */
function refuseKeys({ actor }: Context, { transactional }: Content): void {
  if (!transactional || actor.type !== 'service_account') return;
  const message = 'Only a person, also through an app, may make a reminder transactional.';
  throw new AppError('oauth_required', message, { path: 'transactional' });
}

async function requireGroup(tx: Context, groupId: string | null, numberId: string): Promise<void> {
  if (groupId === null) return;
  const { params, bind } = binding(tx.organizationId, groupId);
  const visible = visibleThrough(tx.actor, 'g', bind);
  const group = await first<{ numberId: string; left: boolean }>(
    tx.sql,
    `select g.number_id as "numberId", g.left_at is not null as left from groups g
     where g.organization_id = $1 and g.id = $2 and ${visible} for share of g`,
    params,
  );
  if (!group) throw new AppError('unknown_group', 'There is no such group.', { group_id: groupId });
  const refuse = (rule: string, message: string): AppError =>
    validation([{ path: 'group_id', rule, message }]);
  if (group.left) throw refuse('left_group', 'The number is no longer in this group.');
  if (group.numberId !== numberId)
    throw refuse('other_number', 'Another number is in this group: use that one.');
}
