import type { ApiDocument, Schema } from './document.ts';
import { type Html, html, inline } from './html.ts';

interface Field {
  /** `fields[].label` */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly notes: string;
}

const MAX_DEPTH = 4;

/** A table of everything a body may hold, one row a field; null for a body without named fields. */
export function fieldTable(document: ApiDocument, schema: Schema, withNeed: boolean): Html | null {
  const fields = fieldsOf(document, schema);
  if (fields.length === 0) return null;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Fields"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th>${withNeed ? html`<th scope="col">Required</th>` : null}<th scope="col">Notes</th></tr></thead><tbody>${fields.map(
    ({ name, type, required, notes }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td>${withNeed ? html`<td>${required ? 'yes' : 'no'}</td>` : null}<td>${inline(notes)}</td></tr>`,
  )}</tbody></table></div>`;
}

function fieldsOf(document: ApiDocument, schema: Schema, prefix = '', depth = 0): Field[] {
  const { properties = {}, required = [] } = document.resolve(schema);
  return Object.entries(properties).flatMap(([key, given]) => {
    const name = prefix + key;
    const own = document.resolve(given);
    const field = {
      name,
      type: typeOf(document, given),
      required: required.includes(key),
      notes: notesOf(document, own),
    };
    return [field, ...(depth < MAX_DEPTH ? within(document, own, name, depth + 1) : [])];
  });
}

/** The fields of an object, of a list's items, and of the first kind of object that is possible. */
function within(document: ApiDocument, schema: Schema, name: string, depth: number): Field[] {
  if (schema.properties) return fieldsOf(document, schema, `${name}.`, depth);
  if (schema.items) return within(document, document.resolve(schema.items), `${name}[]`, depth);
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((one) => document.resolve<Schema>(one));
  const shaped = choices.filter(({ properties, items }) => properties || items);
  return shaped.length === 1 && shaped[0] ? within(document, shaped[0], name, depth) : [];
}

/** `string`, `array of Contact`, `string or null`. */
export function typeOf(document: ApiDocument, given: Schema): string {
  const named = given.$ref?.split('/').at(-1);
  const schema = document.resolve(given);
  const own = plainType(document, schema);
  return named && own === 'object' ? named : own;
}

function plainType(document: ApiDocument, schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(document, choice)))].join(' or ');
  if (schema.items) return `array of ${typeOf(document, schema.items)}`;
  if (schema.const !== undefined) return typeof schema.const;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format ? `${type} (${schema.format})` : type;
}

const code = (values: readonly unknown[]): string =>
  values.map((value) => `\`${String(value)}\``).join(', ');

function notesOf(document: ApiDocument, schema: Schema): string {
  const { description, minLength, maxLength, minItems, maxItems, minimum, maximum } = schema;
  const values = valuesOf(document, schema);
  return [
    description,
    values.length > 0 ? `One of ${code(values)}.` : null,
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'items'),
    schema.const === undefined ? range(minimum, maximum, '') : null,
    schema.default === undefined ? null : `Default ${code([JSON.stringify(schema.default)])}.`,
  ]
    .filter((note) => note)
    .join(' ');
}

/** What an enumeration allows, also inside "or null" and in lists. */
function valuesOf(document: ApiDocument, schema: Schema): readonly unknown[] {
  if (schema.enum) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  if (schema.items) return valuesOf(document, document.resolve(schema.items));
  return (schema.anyOf ?? []).flatMap((one) => valuesOf(document, document.resolve(one)));
}

function range(min: number | undefined, max: number | undefined, unit: string): string | null {
  const high = max !== undefined && max < Number.MAX_SAFE_INTEGER ? max : undefined;
  const low = min !== undefined && min > Number.MIN_SAFE_INTEGER ? min : undefined;
  if (low === undefined && high === undefined) return null;
  const words = [
    low === undefined ? null : `at least ${low}`,
    high === undefined ? null : `at most ${high}`,
  ];
  const text = words.filter((word) => word).join(', ');
  return `${text[0]?.toUpperCase()}${text.slice(1)}${unit ? ` ${unit}` : ''}.`;
}
