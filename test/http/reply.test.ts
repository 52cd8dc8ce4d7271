import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { replies, reply } from '../../src/http/reply.ts';

const view = z.strictObject({
  id: z.string(),
  name: z.string().min(1),
  count: z.int(),
  share: z.number(),
  kind: z.enum(['a', 'b']),
  pace: z.literal([10, 60]),
  open: z.boolean(),
  tags: z.array(z.string()),
  custom: z.record(z.string(), z.unknown()),
  reasons: z.record(z.string(), z.int()),
  owner: z.strictObject({ id: z.string() }).nullable(),
  day: z.iso.date().nullable(),
  created_at: z.iso.datetime(),
});

const good = {
  id: 'x',
  name: 'n',
  count: 1,
  share: 0.5,
  kind: 'a',
  pace: 60,
  open: true,
  tags: ['t'],
  custom: { any: [1] },
  reasons: { late: 2 },
  owner: { id: 'o' },
  day: '2026-12-31',
  created_at: '2026-12-31T09:00:00.000Z',
};

describe('an answer on its way out', () => {
  it('is what the schema lets out, null and all', () => {
    const bare = { ...good, owner: null, day: null, tags: [], custom: {}, reasons: {} };

    expect(reply(view, good)).toEqual(view.parse(good));
    expect(replies(view, [good, bare])).toEqual([good, bare]);
  });

  it.each<[string, unknown]>([
    ['id', 5],
    ['id', undefined],
    ['name', ''],
    ['count', 1.5],
    ['count', Number.NaN],
    ['share', Number.POSITIVE_INFINITY],
    ['kind', 'c'],
    ['pace', 61],
    ['open', 'true'],
    ['tags', ['t', 1]],
    ['tags', 't'],
    ['custom', []],
    ['reasons', { late: 'x' }],
    ['owner', {}],
    ['owner', { id: 'o', secret: 's' }],
    ['day', '2026-02-30'],
    ['created_at', '2026-12-31'],
    ['created_at', new Date()],
    ['secret', 'one field too many'],
  ])('never leaves with a wrong %s: %p', (field, value) => {
    expect(() => reply(view, { ...good, [field]: value })).toThrow(z.ZodError);
    expect(() => replies(view, [good, { ...good, [field]: value }])).toThrow(z.ZodError);
  });

  it('never leaves without a field, even when another one stands in its place', () => {
    for (const field of Object.keys(good)) {
      const { [field as keyof typeof good]: _left, ...rest } = good;
      expect(() => reply(view, rest)).toThrow(z.ZodError);
      expect(() => reply(view, { ...rest, other: 1 })).toThrow(z.ZodError);
    }
  });

  it('is still changed by schemas that change what passes through', () => {
    const changing = z.strictObject({
      name: z.string().trim(),
      kind: z.string().default('none'),
      size: z.number().transform(String),
    });

    expect(reply(changing, { name: ' a ', size: 1 })).toEqual({
      name: 'a',
      kind: 'none',
      size: '1',
    });
    expect(() =>
      reply(
        z.strictObject({ a: z.int() }).refine(() => false),
        { a: 1 },
      ),
    ).toThrow(z.ZodError);
  });
});
