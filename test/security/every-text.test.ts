import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { everyRoute, nameOf } from '../support/every-route.ts';

interface Field {
  readonly path: string;
  readonly schema: z.ZodType;
}

/** Every field of a body or a query, with those of objects and lists within. */
function fieldsOf(schema: z.ZodType, path: string): Field[] {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const inner = (one: z.core.$ZodType, at = path): Field[] => fieldsOf(one as z.ZodType, at);
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, one]) =>
        inner(one, path ? `${path}.${name}` : name),
      );
    case 'array':
      return [{ path, schema }, ...inner(def.element, `${path}[]`)];
    case 'optional':
    case 'nullable':
    case 'default':
      return inner(def.innerType);
    default:
      return [{ path, schema }];
  }
}

const fields = everyRoute.flatMap((route) => {
  const schema = route.kind === 'write' ? route.body : route.query;
  return schema
    ? fieldsOf(schema, '').map((field) => ({ name: `${nameOf(route)} ${field.path}`, ...field }))
    : [];
});

const LONG = 100_000;
/** What makes careless patterns try again and again. */
const TIRING = [
  'a',
  '1',
  ' ',
  '-',
  '.',
  '@',
  'a@',
  'a.',
  '+5',
  '{{',
  '{{a|',
  'https://a.',
  'P1D',
  '2026-',
  '\u0301',
  'é',
].map((part) => part.repeat(LONG / part.length));

function msToJudge(schema: z.ZodType, value: unknown): number {
  const started = performance.now();
  schema.safeParse(value);
  return performance.now() - started;
}

/** A pattern that tries again and again needs many seconds for such a text; a busy machine does not. */
const LIMIT_MS = 500;

describe.each(fields.map((field) => [field.name, field] as const))('%s', (_, { schema }) => {
  it('is judged in no time, however long and strange the text', () => {
    for (const text of TIRING.flatMap((tiring) => [tiring, `${tiring}!\n`])) {
      const slow = (): boolean => msToJudge(schema, text) >= LIMIT_MS;
      // A pause of the machine is not the pattern's fault: that would be slow each time.
      expect([text.slice(0, 10), slow() && slow() && slow()]).toEqual([text.slice(0, 10), false]);
    }
  });
});

const lists = fields.filter(({ schema }) => schema instanceof z.ZodArray);
describe.each(lists.map((field) => [field.name, field] as const))('%s', (_, { schema }) => {
  it.each<[string, unknown]>([
    ['texts', 'x'],
    ['numbers', 7],
    ['objects', { a: 1 }],
    ['lists', [[]]],
  ])('is judged in no time with 10,000 %s in it', (_kind, item) => {
    const many = Array(10_000).fill(item);
    const slow = (): boolean => msToJudge(schema, many) >= LIMIT_MS;

    expect(slow() && slow() && slow()).toBe(false);
    expect(schema.safeParse(many).success).toBe(false);
  });
});

/** Fields of free text: ids, addresses, dates and the like have no characters beyond ASCII. */
const texts = fields.filter(({ schema }) => {
  const { maxLength } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as {
    maxLength?: number;
  };
  return maxLength !== undefined && schema.safeParse('é'.repeat(Math.min(maxLength, 3))).success;
});

describe('the length of a text', () => {
  it('is limited somewhere', () => {
    expect(texts.length).toBeGreaterThan(20);
  });

  it.each(
    texts
      .filter(({ path }) => !/(?:ids?(?:\[\])?|url)$/.test(path))
      .map((field) => [field.name, field] as const),
  )('counts characters, not their halves: %s', (_, { schema }) => {
    const { maxLength = 0 } = z.toJSONSchema(schema, { unrepresentable: 'any' });

    expect(schema.safeParse('👋'.repeat(maxLength)).success).toBe(true);
    expect(schema.safeParse('👋'.repeat(maxLength + 1)).success).toBe(false);
  });
});
