import type { z } from 'zod';

/** True: the value can be sent as it is. False: the schema itself must decide. */
type Check = (value: unknown) => boolean;
type Schema = z.core.$ZodType;

const decided = new WeakMap<Schema, Check>();

/**
 * Prepares a value for sending, by its schema; a value that does not fit is our own mistake, and throws. Parsing
 * would copy every record of a page, which costs more than everything else the door does. So plain shapes are checked
 * in place, and anything else, and any doubt, is left to the schema.
 */
export function reply(schema: z.ZodType, value: unknown): unknown {
  return checkOf(schema)(value) ? value : schema.parse(value);
}

/** Prepares each record of a page for sending, as `reply` does one value. */
export function replies(schema: z.ZodType, values: readonly unknown[]): unknown[] {
  const check = checkOf(schema);
  return values.map((value) => (check(value) ? value : schema.parse(value)));
}

function checkOf(schema: Schema): Check {
  const known = decided.get(schema);
  if (known) return known;
  const made = checkFor(schema);
  decided.set(schema, made);
  return made;
}

const unsure: Check = () => false;
/** Checks that only inspect; others, such as trimming, change the value. */
const LOOKING = /^(?:min_length|max_length|greater_than|less_than|string_format)$/;

function checkFor(schema: Schema): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.checks?.length) {
    const looking = def.checks.every((check) => LOOKING.test(check._zod.def.check));
    const scalar = def.type === 'string' || def.type === 'number';
    return looking && scalar ? (value) => (schema as z.ZodType).safeParse(value).success : unsure;
  }
  switch (def.type) {
    case 'string':
      return text(def);
    case 'number':
      return number(def);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum':
      return memberOf(Object.values(def.entries));
    case 'literal':
      return memberOf(def.values);
    case 'unknown':
      return (value) => value !== undefined;
    case 'nullable': {
      const inner = checkFor(def.innerType);
      return (value) => value === null || inner(value);
    }
    case 'array': {
      const item = checkFor(def.element);
      return (value) => Array.isArray(value) && value.every(item);
    }
    case 'record': {
      const item = checkFor(def.valueType);
      return (value) => isRecord(value) && Object.values(value).every(item);
    }
    case 'object':
      return def.catchall?._zod.def.type === 'never' ? fields(def.shape) : unsure;
    default:
      return unsure;
  }
}

type Formatted = Readonly<{ format?: string; pattern?: RegExp }>;

function number(def: z.core.$ZodNumberDef): Check {
  const { format } = def as Formatted;
  if (format === undefined) return Number.isFinite;
  return format === 'safeint' ? Number.isSafeInteger : unsure;
}

function text(def: z.core.$ZodStringDef): Check {
  const { format, pattern } = def as Formatted;
  if (format === undefined) return (value) => typeof value === 'string';
  if (format !== 'datetime' && format !== 'date') return unsure;
  return pattern ? (value) => typeof value === 'string' && pattern.test(value) : unsure;
}

function memberOf(values: readonly unknown[]): Check {
  const allowed = new Set(values);
  return (value) => allowed.has(value);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Exactly these keys: a missing one fails its own check, an additional one makes the count wrong. */
function fields(shape: Readonly<Record<string, Schema>>): Check {
  const checks = Object.entries(shape).map(([name, schema]) => ({ name, fits: checkFor(schema) }));
  return (value) =>
    isRecord(value) &&
    Object.keys(value).length === checks.length &&
    checks.every(({ name, fits }) => fits(value[name]));
}
