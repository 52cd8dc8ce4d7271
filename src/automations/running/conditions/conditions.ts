import type { Context } from '../../../context.ts';
import { binding, first } from '../../../db/sql.ts';
import { type Condition, conditionsIn, fieldNamed, type Rules } from '../../../segments/rules.ts';
import { momentOf, segmentCondition } from '../../../segments/service.ts';
import { conditionField, stepOutput } from '../../definition/conditions.ts';
import { compares, type Known, passes } from './comparing.ts';
import { conversationFacts, messageOf, outputsOf, type Subject } from './knowing.ts';

export type { Subject } from './knowing.ts';

type Answers = ReadonlyMap<Condition, boolean>;

/**
 * Whether validated rules hold for a contact now. Conditions on the contact are evaluated by one statement, the
 * others from what the run knows. Nothing holds for a deleted contact.
 */
export async function holds(tx: Context, subject: Subject, rules: Rules): Promise<boolean> {
  const all = conditionsIn(rules);
  const ofContact = all.filter(({ field }) => fieldNamed(field) !== null);
  const ofRun = all.filter(({ field }) => fieldNamed(field) === null);
  const answers = await askContact(tx, subject.contactId, ofContact);
  if (!answers) return false;
  const facts = await factsFor(tx, subject, ofRun);
  return passes(rules, (condition) => answers.get(condition) ?? compare(condition, facts));
}

/** Null for a contact that does not exist. */
async function askContact(
  tx: Context,
  contactId: string | null,
  conditions: readonly Condition[],
): Promise<Answers | null> {
  if (conditions.length === 0) return new Map();
  const moment = await momentOf(tx);
  const { params, bind } = binding(tx.organizationId, contactId);
  const asked = conditions.map((each) => segmentCondition(each, bind, moment));
  const row = await first<{ answers: boolean[] }>(
    tx.sql,
    `select array[${asked.join(', ')}] as answers from contacts c where c.organization_id = $1 and c.id = $2`,
    params,
  );
  return row && new Map(conditions.map((each, index) => [each, row.answers[index] === true]));
}

interface Facts {
  readonly named: Readonly<Record<string, Known>>;
  readonly outputs: Awaited<ReturnType<typeof outputsOf>>;
}

/** Reads only what the conditions ask for. */
async function factsFor(
  tx: Context,
  subject: Subject,
  conditions: readonly Condition[],
): Promise<Facts> {
  const asks = (...starts: string[]): boolean =>
    conditions.some(({ field }) => starts.some((start) => field.startsWith(start)));
  const message = asks('message.') ? await messageOf(tx, subject) : null;
  const talk = asks('conversation.', 'now.') ? await conversationFacts(tx, subject) : {};
  return {
    named: { ...talk, 'message.text': message?.text, 'message.type': message?.type },
    outputs: asks('step.') ? await outputsOf(tx, subject) : new Map(),
  };
}

function compare(condition: Condition, { named, outputs }: Facts): boolean {
  const { field } = condition;
  const kind = conditionField(field)?.kind;
  if (!kind) throw new TypeError('These rules were not checked.');
  const output = stepOutput(field);
  const known = output ? outputs.get(output.stepId)?.[output.output] : named[field];
  return compares(kind, condition, known);
}
