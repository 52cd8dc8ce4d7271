import { randomInt } from 'node:crypto';
import { visibleNumbers } from '../../access/visibility.ts';
import { blankDraft, draftOf, type Provenance, todayFor } from '../../contacts/drafts.ts';
import { type KnownContact, knownContact } from '../../contacts/identity/identities.ts';
import { noteSighting } from '../../contacts/identity/senders.ts';
import { optIn, optOut } from '../../contacts/opt-outs/opting-out.ts';
import { effectOf } from '../../contacts/opt-outs/phrases.ts';
import { addContacts } from '../../contacts/writing.ts';
import type { Context, Seeing } from '../../context.ts';
import { type KeptMessage, keepMessage } from '../../conversations/receiving/receiving.ts';
import { openConversation } from '../../conversations/sending/opening.ts';
import { closeConversation } from '../../conversations/service.ts';
import { binding, first } from '../../db/sql.ts';
import { AppError, type FieldProblem, validation } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { recordUnheard } from '../../outbox/happenings.ts';
import { placeNewcomer } from '../../pipelines/service.ts';
import { AFTER_A_MESSAGE } from '../definition/triggers.ts';
import type { DraftRow } from '../queries.ts';
import { startRun } from '../running/starting.ts';
import { fire, firingMessage, wayTo } from './firing.ts';
import type { SimulationInput } from './schema.ts';

/** What was invented for one simulation; none of it outlives the transaction. */
export interface World {
  readonly runId: string;
  readonly person: KnownContact;
  /** On which the person writes first. */
  readonly numberId: string;
}

type Place = Pick<World, 'person' | 'numberId'>;

/** The number that the person writes to, among those the caller sees. 422 if there is none. */
export async function numberFor(
  { sql, organizationId, actor }: Seeing,
  { draft }: DraftRow,
  asked: string | undefined,
): Promise<string> {
  const wanted = asked === undefined ? numbersOf(draft) : [asked];
  const { params, bind } = binding(organizationId, wanted);
  const row = await first<{ id: string }>(
    sql,
    `select n.id from numbers n where n.organization_id = $1 and (cardinality($2::text[]) = 0 or n.id = any($2::text[]))
       and ${visibleNumbers(actor, 'n', bind)} order by array_position($2::text[], n.id), n.id limit 1`,
    params,
  );
  if (row) return row.id;
  if (asked !== undefined)
    throw new AppError('unknown_number', 'There is no such number.', { number_id: asked });
  const message = 'Connect a number first: a conversation needs one.';
  throw validation([{ path: 'number_id', rule: 'unknown', message }]);
}

const numbersOf = ({ trigger }: DraftRow['draft']): readonly string[] =>
  'number_ids' in trigger ? trigger.number_ids : [];

/** What happens in a conversation, also where nobody has just written. */
const IN_CONVERSATION = ['no_reply', 'conversation_opened', 'conversation_closed'];

/**
 * Invents a person to whom the trigger has happened, their first message, and a published automation with the draft's
 * definition, and begins its run. The caller's transaction must be rolled back.
 */
export async function invent(
  tx: Context,
  row: DraftRow,
  { contact, number_id: asked, ...input }: SimulationInput,
  numberId: string,
): Promise<World> {
  const { trigger } = row.draft;
  const message = input.message ?? firingMessage(trigger);
  const person = await aPerson(tx, contact, wayTo(tx, trigger, message));
  await fire(tx, trigger, person.id, contact);
  const place = { person, numberId };
  const talk = message === null ? null : await comes(tx, place, message);
  // With other triggers the person wrote before, and the run knows nothing of it.
  const messageId = talk && AFTER_A_MESSAGE.has(trigger.type) ? talk.messageId : null;
  // Other triggers without numbers may fire outside any conversation, as a tag or a form does.
  const isNamed = asked !== undefined || numbersOf(row.draft).length > 0;
  const speaks = messageId !== null || isNamed || IN_CONVERSATION.includes(trigger.type);
  const automationId = await aPublished(tx, row);
  const begun = await startRun(tx, {
    automationId,
    contactId: person.id,
    conversationId: speaks ? await standing(tx, row, place) : null,
    trigger: { type: trigger.type, ref: messageId },
    messageId,
    chain: [],
    causeRunId: null,
  });
  if (!('runId' in begun)) throw new AppError('internal', `The simulation: ${begun.dropped}.`);
  await tx.sql.rows(
    'update automation_runs set chain = $3 where organization_id = $1 and id = $2',
    // Steps that start the automation itself are refused, as they would be in a real run.
    [tx.organizationId, begun.runId, [row.id, automationId]],
  );
  return { runId: begun.runId, person, numberId };
}

/** The person's first message, which places them in the number's pipeline. */
async function comes(tx: Context, place: Place, text: string): Promise<KeptMessage> {
  const kept = await says(tx, place, text, 'beginning');
  const { stageId, conversationId } = kept;
  await placeNewcomer(tx, { stageId, contactId: place.person.id, conversationId });
  return kept;
}

/** The person's conversation, in which they need not have written. */
async function standing(tx: Context, { draft }: DraftRow, place: Place): Promise<string> {
  const id = await openConversation(tx, { contactId: place.person.id, numberId: place.numberId });
  if (draft.trigger.type === 'conversation_closed') await closeConversation(tx, id);
  return id;
}

const PHONE_DIGITS = 10 ** 9;

async function aPerson(
  tx: Context,
  contact: SimulationInput['contact'],
  way: Provenance,
): Promise<KnownContact> {
  const given = givenOf(contact);
  const today = await todayFor(tx, given);
  const draft = { ...blankDraft(), ...inContact(() => draftOf(given, today)) };
  // An unassigned country code, so no one has this phone.
  const digits = `+999${String(randomInt(PHONE_DIGITS)).padStart(9, '0')}`;
  const invented = { ...draft, phone: { e164: digits, key: digits } };
  const [added] = await addContacts(tx, [invented], way);
  if (!added) throw new AppError('conflict', 'The invented phone is taken. Try again.');
  const { id, name } = added;
  return { id, name, phone: digits, optedOut: false, blocked: false };
}

const givenOf = (contact: SimulationInput['contact']): Parameters<typeof draftOf>[0] =>
  Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== undefined));

/**
 * SQL: whether message `m` is in a conversation of the contact `$2`, as all that are said in a simulation are. No index
 * has the messages of a contact, or of a run.
 */
export const IN_THEIR_TALKS =
  'm.conversation_id = any (array(select v.id from conversations v where v.organization_id = $1 and v.contact_id = $2))';

/** The body of a simulation has the person in `contact`. */
function inContact<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    const problems = error.details as readonly FieldProblem[];
    throw validation(problems.map((each) => ({ ...each, path: `contact.${each.path}` })));
  }
}

/** A message from the person arrives, as WhatsApp would report it. One that opts out or in answers no question. */
export async function says(
  tx: Context,
  { person, numberId }: Place,
  text: string,
  name: string,
): Promise<KeptMessage> {
  const contactId = person.id;
  const providerId = `simulated.${newId('msg')}.${name}`;
  const words = { type: 'text', text, media: null, replyTo: null } as const;
  const wrote = { contactId, numberId, wroteFrom: person.phone, at: tx.now };
  const kept = await keepMessage(tx, { ...wrote, ...words, providerId });
  await noteSighting(tx, knownContact(person), { phone: person.phone, waUserId: null, at: tx.now });
  if (await optsInOrOut(tx, contactId, kept.messageId, text)) await recordUnheard(tx, kept);
  return kept;
}

async function optsInOrOut(
  tx: Context,
  contactId: string,
  messageId: string,
  text: string,
): Promise<boolean> {
  const effect = await effectOf(tx, text);
  if (effect === 'out') await optOut(tx, contactId, { source: 'message', messageId });
  if (effect !== 'in') return effect === 'out';
  return optIn(tx, contactId, { source: 'message' });
}

/** A copy that listens to nothing, so that the real automation's row stays unlocked for its runs. */
async function aPublished(tx: Context, { id, draft }: DraftRow): Promise<string> {
  const copy = newId('atm');
  await tx.sql.rows(
    `insert into automations (organization_id, id, name, status, version, draft, created_by, created_at, updated_at)
     select organization_id, $3, $3, 'active', 1, $4, created_by, $5, $5 from automations where organization_id = $1 and id = $2`,
    [tx.organizationId, id, copy, JSON.stringify(draft), tx.now],
  );
  await tx.sql.rows(
    `insert into automation_versions (organization_id, automation_id, version, definition, created_at)
     values ($1, $2, 1, $3, $4)`,
    [tx.organizationId, copy, JSON.stringify(draft), tx.now],
  );
  return copy;
}
