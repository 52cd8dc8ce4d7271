import type { z } from 'zod';
import { auditAll } from '../../audit/service.ts';
import { chunksOf } from '../../concurrency.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { AppError, type FieldProblem } from '../../errors.ts';
import { guard } from '../../http/guard.ts';
import { isId } from '../../ids.ts';
import { lockedLimit } from '../../workspaces/plans.ts';
import { todayOf } from '../../workspaces/service.ts';
import { countContacts } from '../counting.ts';
import { type Draft, draftOf, type Provenance } from '../drafts.ts';
import { optOut } from '../opt-outs/opting-out.ts';
import { IMPORT_BATCH, MAX_CUSTOM, MAX_TAGS } from '../rules.ts';
import { importRow, NOBODY } from '../schema.ts';
import { tellChanged } from '../telling.ts';
import { addContacts } from '../writing.ts';
import { findForImport, updateContacts } from './matching.ts';
import { block, changesIn, type ImportState, optsOut, takeRow } from './row-state.ts';

/**
 * One row: the fields of `POST /v1/contacts` without the owner, the id of who is known, and whether somebody is opted
 * out or blocked. Empty fields count as absent.
 */
export type ImportRow = z.input<typeof importRow>;

type Outcome = 'created' | 'updated' | 'unchanged' | 'invalid';

/** What became of a row; `problems` says why it is invalid. */
export interface ImportedRow {
  readonly outcome: Outcome;
  readonly contactId: string | null;
  readonly problems: readonly FieldProblem[];
}

const TRIES = 3;
const BY_FILE: Provenance = { origin: 'import', createdVia: 'import' };

/**
 * Imports contacts in batches of 500, each in its own transaction, and returns one outcome per row, in order.
 * Contacts are matched by their id, by phone in any spelling, and those without one by e-mail address, so importing a
 * file twice changes nothing. Opt-outs are taken from a row and never taken back by one (design decisions §21).
 */
export async function importContacts(
  ctx: Context,
  rows: readonly ImportRow[],
  onProgress: (done: number) => void = () => {},
): Promise<ImportedRow[]> {
  const outcomes: ImportedRow[] = [];
  for (const batch of chunksOf(IMPORT_BATCH, rows)) {
    outcomes.push(...(await importBatch(ctx, batch)));
    onProgress(outcomes.length);
  }
  return outcomes;
}

/**
 * Imports one batch in the caller's transaction. Throws `conflict` if a concurrent transaction created one of the
 * contacts first: try again.
 */
export async function importRows(
  tx: Context,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<ImportedRow[]> {
  const today = await todayOf(tx);
  return writeBatch(
    tx,
    rows.map((row) => parse(row, today)),
  );
}

async function importBatch(ctx: Context, rows: readonly ImportRow[]): Promise<ImportedRow[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(ctx, (tx) => importRows(tx, rows));
    } catch (error) {
      // Someone with one of these phones wrote to us between the lookup and the write.
      const raced = error instanceof AppError && error.code === 'conflict';
      if (!raced || attempt === TRIES) throw error;
    }
  }
}

interface Row {
  /** `con_…`, which may be of another workspace; "" for none, also where the file has an id of another system. */
  readonly id: string;
  readonly person: ImportState;
}

type Parsed = Row | readonly FieldProblem[];

const isProblems = (parsed: Parsed): parsed is readonly FieldProblem[] => Array.isArray(parsed);

function parse(row: Readonly<Record<string, unknown>>, today: string): Parsed {
  const given = Object.entries(row).filter(([, value]) => value !== '' && value !== undefined);
  try {
    const {
      id = '',
      opted_out = false,
      blocked = false,
      ...fields
    } = guard(importRow, Object.fromEntries(given));
    return {
      id: isId('con', id) ? id : '',
      person: { ...draftOf(fields, today), opted_out, blocked },
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation') {
      return error.details as readonly FieldProblem[];
    }
    throw error;
  }
}

/** A person of the batch; `before` is null for somebody new. */
interface Person {
  readonly before: ImportState | null;
  now: ImportState;
}

/** A name alone identifies no one, so such a row always creates a contact. */
const identityOf = ({ id, phone, email }: Draft): string =>
  phone?.key ?? (email === null ? id : email.toLowerCase());

async function writeBatch(tx: Context, parsed: readonly Parsed[]): Promise<ImportedRow[]> {
  const rows = parsed.flatMap((row) => (isProblems(row) ? [] : [row]));
  const { limit } = await lockedLimit(tx, 'contacts');
  const people = new Map<string, Person>();
  const ids = rows.flatMap(({ id }) => (id === '' ? [] : [id]));
  const drafts = rows.map(({ person }) => person);
  for (const { person: known, keys } of await findForImport(tx, drafts, ids)) {
    const person = { before: known, now: known };
    for (const key of keys) people.set(key, person);
  }
  const places = { left: limit - (await countContacts(tx)) };
  const outcomes = parsed.map((row) =>
    isProblems(row) ? invalid(row) : settle(row, people, places),
  );
  await writePeople(tx, [...new Set(people.values())]);
  return outcomes;
}

const invalid = (problems: readonly FieldProblem[]): ImportedRow => ({
  outcome: 'invalid',
  contactId: null,
  problems,
});

const OVER_QUOTA: FieldProblem = {
  path: '',
  rule: 'quota',
  message: 'The plan allows no more contacts.',
};

/** An import changes no phone: the conversations under the former one would have somebody else's. */
const OTHER_PHONE: FieldProblem = {
  path: 'phone',
  rule: 'other_phone',
  message:
    'The contact with this id does not have this phone. Change it on their page, or leave the id out.',
};

function settle(
  { id, person: row }: Row,
  people: Map<string, Person>,
  places: { left: number },
): ImportedRow {
  const key = identityOf(row);
  const byId = people.get(id);
  const person = byId ?? people.get(key);
  if (byId && row.phone && people.get(key) !== byId) return invalid([OTHER_PHONE]);
  if (!person) {
    if (!(row.name || row.phone || row.email)) return invalid([NOBODY]);
    if (places.left <= 0) return invalid([OVER_QUOTA]);
    places.left -= 1;
    const added = { before: null, now: row };
    people.set(key, added);
    noteAddress(added, people);
    return { outcome: 'created', contactId: row.id, problems: [] };
  }
  const merged = takeRow(person.now, row);
  const tooMuch = excess(merged);
  if (tooMuch.length > 0) return invalid(tooMuch);
  const changed = optsOut(person.now, merged) || changesIn(person.now, merged).length > 0;
  person.now = merged;
  noteAddress(person, people);
  return { outcome: changed ? 'updated' : 'unchanged', contactId: merged.id, problems: [] };
}

/** Rows further down that have no phone find them by it, as rows of a later batch do; whoever had it before keeps it. */
function noteAddress(person: Person, people: Map<string, Person>): void {
  const address = person.now.email?.toLowerCase();
  if (address !== undefined && !people.has(address)) people.set(address, person);
}

/** Lists with a limit that the merged contact would exceed: each row is within the limit, the sum may not be. */
function excess({ tags, custom }: Draft): FieldProblem[] {
  const limits = [
    { path: 'tags', size: tags.length, limit: MAX_TAGS },
    { path: 'custom', size: Object.keys(custom).length, limit: MAX_CUSTOM },
  ];
  return limits
    .filter(({ size, limit }) => size > limit)
    .map(({ path, limit }) => {
      const message = `The contact would have more than ${limit}.`;
      return { path, rule: 'max_items', limit, message };
    });
}

async function writePeople(tx: Context, people: readonly Person[]): Promise<void> {
  const fresh = people.filter(({ before }) => before === null).map(({ now }) => now);
  const changed = people.flatMap(({ before, now }) => {
    const changes = changesIn(before ?? { ...now, blocked: false }, now);
    return changes.length > 0 ? [{ now, changes }] : [];
  });
  const added = await addContacts(tx, fresh, BY_FILE);
  if (added.length < fresh.length) throw new AppError('conflict', 'A contact came in meanwhile.');
  await updateContacts(
    tx,
    changed.map(({ now }) => now),
  );
  await block(
    tx,
    changed.flatMap(({ now }) => (now.blocked ? [now.id] : [])),
  );
  await tellChanged(
    tx,
    changed.map(({ now: { id }, changes }) => ({ id, changes })),
  );
  await auditAll(
    tx,
    changed.map(({ now, changes }) => ({
      action: 'contact.updated',
      target: { type: 'contact', id: now.id, name: now.name },
      changes,
    })),
  );
  const listed = new Set(added.filter(({ opted_out }) => opted_out).map(({ id }) => id));
  for (const { before, now } of people)
    if (optsOut(before, now) && !listed.has(now.id))
      await optOut(tx, now.id, { source: 'import', messageId: null });
}
