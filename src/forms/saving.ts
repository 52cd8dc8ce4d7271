import type { Change } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import { blankDraft, type Draft } from '../contacts/drafts.ts';
import { findByPhone } from '../contacts/identity/identities.ts';
import { type Phone, parsePhone } from '../contacts/identity/phones.ts';
import { changesOf, mergeInto } from '../contacts/imports/filling-in.ts';
import { updateContacts } from '../contacts/imports/matching.ts';
import { distinctTags, MAX_CUSTOM, MAX_NOTES, MAX_TAGS } from '../contacts/rules.ts';
import { updateContact } from '../contacts/service.ts';
import { tellChanged } from '../contacts/telling.ts';
import { addContacts } from '../contacts/writing.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { AnswerValue } from './answers.ts';
import { emailHolder, lockPerson, type Person } from './contact.ts';
import type { FormField, Outcome } from './rules.ts';

export const BY_FORM = { origin: 'form', createdVia: 'form' } as const;

export interface Filled {
  readonly formId: string;
  readonly fields: readonly FormField[];
  readonly values: ReadonlyMap<string, AnswerValue>;
  readonly tag: string | null;
  /** The contact of the personal link; null if the phone tells who it is. */
  readonly linkedContactId: string | null;
}

export interface Saved {
  readonly contactId: string;
  readonly outcome: Outcome;
  /** Another contact that the answers point to; nothing is merged. */
  readonly conflictContactId: string | null;
}

/** What the answers say about the person. */
interface Told {
  readonly draft: Draft;
  readonly notes: string;
  /** The exact words that were agreed to, or null. */
  readonly consent: string | null;
}

/**
 * Saves the answers to a contact, in the caller's transaction: the one of the link, otherwise the phone's owner,
 * otherwise a new one. Empty answers change nothing, tags are added, and an opt-out is never cleared (design
 * decisions §3). No limit turns anyone away: neither the plan's on contacts, nor those on what one contact holds.
 */
export async function saveAnswers(tx: Context, filled: Filled): Promise<Saved> {
  const told = toldBy(filled);
  const { linkedContactId } = filled;
  const holderId = linkedContactId ?? (await holderOfPhone(tx, told.draft.phone));
  if (holderId !== null) return update(tx, await lockPerson(tx, holderId), told, filled);
  const [added] = await addContacts(tx, [{ ...told.draft, notes: told.notes }], BY_FORM);
  // A concurrent transaction created a contact with this phone, which can be found now.
  if (!added) return update(tx, await personWith(tx, told), told, filled);
  const conflictContactId = await emailHolder(tx, told.draft.email, added.id);
  if (told.consent !== null) await writeConsent(tx, added.id, told.consent, filled.formId);
  return { contactId: added.id, outcome: 'contact_created', conflictContactId };
}

const holderOfPhone = async (tx: Context, phone: Phone | null): Promise<string | null> =>
  phone && ((await findByPhone(tx, phone.e164))?.id ?? null);

async function personWith(tx: Context, { draft }: Told): Promise<Person> {
  const id = await holderOfPhone(tx, draft.phone);
  if (id === null) throw new AppError('conflict', 'The contact was changed at the same moment.');
  return lockPerson(tx, id);
}

function toldBy({ fields, values, tag }: Filled): Told {
  const to = (target: string): AnswerValue => {
    const field = fields.find(({ save_to }) => save_to === target);
    return (field && values.get(field.key)) ?? null;
  };
  const text = (target: string): string | null => {
    const value = to(target);
    return typeof value === 'string' ? value : null;
  };
  const consent = fields.find(({ type, key }) => type === 'consent' && values.get(key) === true);
  const draft: Draft = {
    ...blankDraft(),
    name: text('name') ?? '',
    phone: parsePhone(text('phone') ?? ''),
    email: text('email'),
    birth_date: text('birth_date'),
    tags: distinctTags(tag === null ? [] : [tag]),
    custom: customOf(fields, values),
  };
  return { draft, notes: text('notes') ?? '', consent: consent?.label ?? null };
}

const CUSTOM = 'custom.';

function customOf(
  fields: readonly FormField[],
  values: ReadonlyMap<string, AnswerValue>,
): Draft['custom'] {
  const entries = fields.flatMap(({ key, save_to }) => {
    const value = values.get(key) ?? null;
    if (!save_to.startsWith(CUSTOM) || value === null) return [];
    return [
      [save_to.slice(CUSTOM.length), typeof value === 'object' ? [...value] : value] as const,
    ];
  });
  return Object.fromEntries(entries);
}

async function update(tx: Context, person: Person, told: Told, filled: Filled): Promise<Saved> {
  const { draft: before } = person;
  const phone = await takePhone(tx, before, told, filled);
  const otherByEmail = await emailConflict(tx, before, told);
  const conflictContactId = phone.holder ?? otherByEmail;
  const { email, ...rest } = told.draft;
  const merged = mergeInto(before, {
    ...rest,
    ...whereRoom(before, rest),
    phone: null,
    email: otherByEmail === null ? email : null,
    notes: notesWith(before.notes, told.notes),
  });
  const changes: Change[] = changesOf(before, merged);
  if (changes.length > 0) {
    await updateContacts(tx, [merged]);
    await tellChanged(tx, [{ id: before.id, changes }]);
  }
  if (told.consent !== null && told.consent !== person.consent) {
    await writeConsent(tx, before.id, told.consent, filled.formId);
    changes.push({ field: 'consent', from: person.consent, to: told.consent });
  }
  const target = { type: 'contact', id: before.id, name: merged.name };
  if (changes.length > 0) await audit(tx, { action: 'contact.updated', target, changes });
  return {
    contactId: before.id,
    outcome: outcomeOf(conflictContactId, phone.taken || changes.length > 0),
    conflictContactId,
  };
}

function outcomeOf(conflictContactId: string | null, changed: boolean): Outcome {
  if (conflictContactId !== null) return 'contact_conflict';
  return changed ? 'contact_updated' : 'contact_unchanged';
}

const emailConflict = (tx: Context, before: Draft, { draft }: Told): Promise<string | null> =>
  draft.email?.toLowerCase() === before.email?.toLowerCase()
    ? Promise.resolve(null)
    : emailHolder(tx, draft.email, before.id);

const NOT_TAKEN = { taken: false, holder: null } as const;

/**
 * A phone given along with a personal link: saved, with its own audit entry, unless it belongs to another contact.
 */
async function takePhone(
  tx: Context,
  before: Draft,
  { draft: { phone } }: Told,
  { linkedContactId }: Filled,
): Promise<{ readonly taken: boolean; readonly holder: string | null }> {
  if (linkedContactId === null || phone === null || phone.key === before.phone?.key)
    return NOT_TAKEN;
  const holder = await holderOfPhone(tx, phone);
  if (holder !== null) return { taken: false, holder: holder === before.id ? null : holder };
  await updateContact(tx, before.id, { phone: phone.e164 });
  return { taken: true, holder: null };
}

/** The form's tag and new custom fields, while there is room; the submission keeps every answer. */
function whereRoom(
  before: Draft,
  { tags, custom }: Pick<Draft, 'tags' | 'custom'>,
): Pick<Draft, 'tags' | 'custom'> {
  const room = MAX_CUSTOM - Object.keys(before.custom).length;
  const isKnown = (key: string): boolean => Object.hasOwn(before.custom, key);
  const fresh = Object.keys(custom).filter((key) => !isKnown(key));
  const fits = Object.entries(custom).filter(([key]) => isKnown(key) || fresh.indexOf(key) < room);
  return {
    tags: before.tags.length < MAX_TAGS ? tags : [],
    custom: Object.fromEntries(fits),
  };
}

/** Keeps the team's own notes: an answer is added below them while there is room, unless it stands there in whole lines. */
function notesWith(before: string, answer: string): string {
  if (answer === '' || `\n${before}\n`.includes(`\n${answer}\n`)) return '';
  const notes = before === '' ? answer : `${before}\n${answer}`;
  return [...notes].length > MAX_NOTES ? '' : notes;
}

const writeConsent = (
  tx: Context,
  contactId: string,
  label: string,
  formId: string,
): Promise<unknown> =>
  tx.sql.rows(
    'update contacts set consent = $3, updated_at = $4 where organization_id = $1 and id = $2',
    [
      tx.organizationId,
      contactId,
      JSON.stringify({ label, source: `form:${formId}`, at: tx.now.toISOString() }),
      tx.now,
    ],
  );
