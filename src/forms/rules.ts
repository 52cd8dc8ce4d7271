import { CUSTOM_FIELD } from '../contacts/rules.ts';
import { invalidState } from '../errors.ts';
import { folded } from '../folding.ts';

/** What a field asks for (design decisions §3). */
export const FIELD_TYPES = [
  'text',
  'long_text',
  'email',
  'phone',
  'number',
  'date',
  'select',
  'multi_select',
  'checkbox',
  'consent',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const FORM_STATUSES = ['draft', 'published', 'unpublished'] as const;
export type FormStatus = (typeof FORM_STATUSES)[number];

/** What a submission did to its contact (design decisions §3). */
export const OUTCOMES = [
  'contact_created',
  'contact_updated',
  'contact_unchanged',
  'contact_conflict',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One question of a form. `key` is made once from the label, and identifies the answers for ever. */
export interface FormField {
  readonly key: string;
  readonly type: FieldType;
  readonly label: string;
  readonly required: boolean;
  /** `""` for nowhere, a field of the contact, or `custom.<key>`. */
  readonly save_to: string;
  readonly options: readonly string[];
}

/** Whether it is answered by choosing. */
export const hasOptions = (type: FieldType): boolean =>
  type === 'select' || type === 'multi_select';

/** The types that each field of the contact can hold; a custom field holds every answer except consent. */
const FITTING: Readonly<Record<string, readonly FieldType[]>> = {
  name: ['text'],
  phone: ['phone'],
  email: ['email'],
  birth_date: ['date'],
  notes: ['text', 'long_text', 'select'],
};

/** The targets with their types, in words. */
export const TARGETS_SAID = `\`""\` is nowhere; ${Object.entries(FITTING)
  .map(([name, types]) => `\`${name}\` takes ${types.map((type) => `\`${type}\``).join(', ')}`)
  .join('; ')}; \`custom.<key>\` takes all but \`consent\`.`;

/** The types that may be saved to a target, or null if there is no such target. */
export function fittingTypes(saveTo: string): readonly FieldType[] | null {
  if (saveTo === '') return FIELD_TYPES;
  if (CUSTOM_FIELD.test(saveTo)) return FIELD_TYPES.filter((type) => type !== 'consent');
  return Object.hasOwn(FITTING, saveTo) ? (FITTING[saveTo] ?? null) : null;
}

/** Consent is always saved as the contact's consent, so it counts as a target. */
export const targetOf = ({ type, save_to }: Pick<FormField, 'type' | 'save_to'>): string | null =>
  type === 'consent' ? 'consent' : save_to || null;

/** Whether the form identifies who filled it in: by a required phone. */
export const identifies = (fields: readonly Pick<FormField, 'required' | 'save_to'>[]): boolean =>
  fields.some(({ required, save_to }) => required && save_to === 'phone');

const MAX_KEY = 40;
const UNNAMED = 'field';

/** `Nome completo` → `nome_completo`; letters without a Latin form leave `field`. */
function keyFrom(label: string): string {
  const words = folded(label)
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_KEY);
  return words.replace(/^_+|_+$/g, '') || UNNAMED;
}

/** The label's key, with `_2`, `_3` and so on if it is in use. */
export function newKey(label: string, taken: ReadonlySet<string>): string {
  const base = keyFrom(label);
  let key = base;
  for (let number = 2; taken.has(key); number += 1) key = `${base}_${number}`;
  return key;
}

const STEPS = {
  publish: ['draft', 'unpublished'],
  unpublish: ['published'],
  remove: ['draft'],
} as const satisfies Record<string, readonly FormStatus[]>;

/** 409 `invalid_state` unless the step is allowed from here. */
export function requireStep(status: FormStatus, step: keyof typeof STEPS): void {
  const from: readonly FormStatus[] = STEPS[step];
  if (!from.includes(status)) throw invalidState(status, from);
}
