import type { Context } from '../context.ts';
import type { Sql } from '../db/sql.ts';
import { storableJson } from '../db/storable.ts';
import { newId } from '../ids.ts';
import type { Commands, CommandType, WebhookEventData, WebhookEventType } from './events.ts';

/** A fact about to enter the queue: one row. */
export interface Fact {
  readonly id: string;
  readonly type: WebhookEventType | CommandType;
  readonly isEvent: boolean;
  readonly payload: string;
}

/** The envelope version of the specification, Delivery. */
const ENVELOPE_VERSION = 1;

/**
 * A webhook event with the exact bytes that every attempt and resend will carry. They are made once, here, so that no
 * later code can change them.
 */
export function eventFact<T extends WebhookEventType>(
  organizationId: string,
  type: T,
  data: WebhookEventData<T>,
  happenedAt: Date,
): Fact {
  const id = newId('evt');
  const payload = storableJson({
    id,
    type,
    version: ENVELOPE_VERSION,
    timestamp: happenedAt.toISOString(),
    organization_id: organizationId,
    data,
  });
  return { id, type, isEvent: true, payload };
}

/** Something for the relay to do, which customers do not see. */
export function commandFact<T extends CommandType>(type: T, payload: Commands[T]): Fact {
  return { id: newId('fct'), type, isEvent: false, payload: JSON.stringify(payload) };
}

export type Recording = Pick<Context, 'sql' | 'organizationId' | 'recorded'>;

/** In the caller's transaction: facts are stored if and only if the change is. */
export async function recordFacts(tx: Recording, facts: readonly Fact[]): Promise<void> {
  await insertFacts(tx.sql, tx.organizationId, facts);
  for (const { isEvent } of facts) tx.recorded.add(isEvent ? 'events' : 'commands');
}

/** In the caller's transaction. */
export const recordFact = (tx: Recording, fact: Fact): Promise<void> => recordFacts(tx, [fact]);

/** In the caller's transaction; the event's time is its `now`. */
export const recordEvent = <T extends WebhookEventType>(
  tx: Recording & Pick<Context, 'now'>,
  type: T,
  data: WebhookEventData<T>,
): Promise<void> => recordFact(tx, eventFact(tx.organizationId, type, data, tx.now));

/** In the caller's transaction. */
export const recordCommand = <T extends CommandType>(
  tx: Recording,
  type: T,
  payload: Commands[T],
): Promise<void> => recordFact(tx, commandFact(type, payload));

/**
 * Inserts facts as part of a larger statement, whose first parameter is the workspace; those of `factParams` begin at
 * `from`.
 */
export const insertingFacts = (from: number): string => `
  insert into facts (organization_id, id, type, is_event, payload)
  select $1, * from unnest($${from}::text[], $${from + 1}::text[], $${from + 2}::bool[], $${from + 3}::text[])`;

/** Their columns, one array each, in the order of `insertingFacts`. */
export const factParams = (facts: readonly Fact[]): unknown[] => [
  facts.map((fact) => fact.id),
  facts.map((fact) => fact.type),
  facts.map((fact) => fact.isEvent),
  facts.map((fact) => fact.payload),
];

const INSERT = insertingFacts(2);

/** Inserts many facts in one statement, for batch jobs inside their own transaction. */
export async function insertFacts(
  sql: Sql,
  organizationId: string,
  facts: readonly Fact[],
): Promise<void> {
  if (facts.length === 0) return;
  await sql.rows(INSERT, [organizationId, ...factParams(facts)], 'insert-facts');
}
