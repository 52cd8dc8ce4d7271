import {
  asText,
  fillVariables,
  type Named,
  variableOf,
  variablesIn,
} from '../../../contacts/variables.ts';
import type { InWorkspace } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import { stepOutput } from '../../definition/conditions.ts';
import type { AtStep } from '../effect.ts';
import { messageOf, outputsOf, type Subject } from './knowing.ts';

/** Encodes a value for where it goes, such as JSON; the text around it is unchanged. */
type Encode = (value: string) => string;
const asItIs: Encode = (value) => value;

/**
 * Fills in a text's variables for the run's contact. A missing value becomes its fallback, or empty. Inserted values
 * are not searched for variables again.
 */
export async function fill(at: AtStep, text: string, encode: Encode = asItIs): Promise<string> {
  const values = await valuesOf(at, variablesIn(text));
  return fillVariables(text, (name, fallback = '') => encode(values.get(name) || fallback.trim()));
}

/** What a step's conditions and texts are about. */
export const subjectOf = ({ run }: Pick<AtStep, 'run'>): Subject => ({
  contactId: run.contactId,
  conversationId: run.conversationId,
  messageId: run.messageId,
  runId: run.id,
});

async function valuesOf(
  at: AtStep,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ofMessage = (name: string): boolean => name === 'message.text';
  const ofStep = (name: string): boolean => stepOutput(name) !== null;
  const ofContact = (name: string): boolean => !ofMessage(name) && !ofStep(name);
  const message = names.some(ofMessage) ? await messageOf(at.tx, subjectOf(at)) : null;
  const left = names.some(ofStep) ? await outputsOf(at.tx, subjectOf(at)) : null;
  const contact = names.some(ofContact) ? await contactOf(at.tx, at.run.contactId) : null;
  const known = (name: string): unknown => {
    if (ofMessage(name)) return message?.text;
    const output = stepOutput(name);
    if (output) return left?.get(output.stepId)?.[output.output];
    return contact && ofPerson(contact, name);
  };
  return new Map(names.map((name) => [name, asText(known(name))]));
}

interface Person extends Named {
  readonly phone: string | null;
  readonly email: string | null;
}

const contactOf = (
  { sql, organizationId }: InWorkspace,
  contactId: string | null,
): Promise<Person | null> =>
  first<Person>(
    sql,
    'select name, phone, email, custom from contacts where organization_id = $1 and id = $2',
    [organizationId, contactId],
    'person-of-run',
  );

const ofPerson = (person: Person, name: string): unknown =>
  name === 'phone' || name === 'email' ? person[name] : variableOf(person, name);
