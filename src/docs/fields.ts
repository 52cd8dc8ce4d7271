import { type Html, html, inline } from '../pages/html.ts';
import type { ApiDocument, Schema } from './document.ts';

interface Field {
  /** `fields[].label` */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly notes: string;
}

const MAX_DEPTH = 4;

/** A field's place: the fields above it, and the named schemas around it, which may contain themselves. */
interface Place {
  readonly prefix: string;
  readonly depth: number;
  readonly inside: ReadonlySet<string>;
}

const TOP: Place = { prefix: '', depth: 0, inside: new Set() };

/** A table of everything a body can contain, one row per field; null for a body without named fields. */
export function fieldTable(document: ApiDocument, schema: Schema, withNeed: boolean): Html | null {
  const fields = fieldsOf(document, schema);
  if (fields.length === 0) return null;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Fields"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th>${withNeed ? html`<th scope="col">Required</th>` : null}<th scope="col">Notes</th></tr></thead><tbody>${fields.map(
    ({ name, type, required, notes }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td>${withNeed ? html`<td>${required ? 'yes' : 'no'}</td>` : null}<td>${inline(notes)}</td></tr>`,
  )}</tbody></table></div>`;
}

function fieldsOf(document: ApiDocument, schema: Schema, place = TOP): Field[] {
  const { properties = {}, required = [] } = document.resolve(schema);
  return Object.entries(properties).flatMap(([key, given]) => {
    const name = place.prefix + key;
    const field = {
      name,
      type: typeOf(document, given),
      required: required.includes(key),
      notes: notesOf(document, document.resolve(given)),
    };
    const below = { ...place, depth: place.depth + 1 };
    return [field, ...(place.depth < MAX_DEPTH ? within(document, given, name, below) : [])];
  });
}

/** The fields of an object, of a list's items, and of each possible kind of object. */
function within(document: ApiDocument, given: Schema, name: string, place: Place): Field[] {
  const { $ref } = given;
  if ($ref && place.inside.has($ref)) return [];
  const here = $ref ? { ...place, inside: new Set([...place.inside, $ref]) } : place;
  const schema = document.resolve(given);
  if (schema.properties) return fieldsOf(document, schema, { ...here, prefix: `${name}.` });
  if (schema.items) return within(document, schema.items, `${name}[]`, here);
  const shaped = (schema.anyOf ?? schema.oneOf ?? []).filter((choice) => {
    const { properties, items } = document.resolve<Schema>(choice);
    return properties ?? items;
  });
  const [only] = shaped;
  if (only && shaped.length === 1) return within(document, only, name, here);
  return shaped.flatMap((choice) => fieldsOfKind(document, choice, name, here));
}

/** For one of several kinds, distinguished by `type`: `steps[](send_message).text`. */
function fieldsOfKind(document: ApiDocument, given: Schema, name: string, place: Place): Field[] {
  const { properties = {}, ...rest } = document.resolve(given);
  const { type: kind, ...others } = properties;
  if (kind?.const === undefined) return [];
  const prefix = `${name}(${String(kind.const)}).`;
  const notes = kind.description ?? '';
  const itself = { name: prefix.slice(0, -1), type: 'object', required: false, notes };
  return [itself, ...fieldsOf(document, { ...rest, properties: others }, { ...place, prefix })];
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

/** The values of an enumeration, also within "or null" and in lists. */
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
