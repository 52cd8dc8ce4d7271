import { expect, it } from '@jest/globals';
import { everyRoute, nameOf } from '../support/every-route.ts';

/** Whether a schema has, anywhere within it, a pattern of which zod would only say that it was not matched. */
function hasBarePattern(schema: unknown, seen = new Set<unknown>()): boolean {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false;
  seen.add(schema);
  if ('format' in schema && schema.format === 'regex') return true;
  return [...Object.values(schema), '_zod' in schema && schema._zod].some((part) =>
    hasBarePattern(part, seen),
  );
}

it('whatever must have a shape is refused with what was expected', () => {
  const schemasOf = (route: (typeof everyRoute)[number]): unknown[] => [
    'query' in route && route.query,
    'body' in route && route.body,
  ];

  expect(
    everyRoute.filter((route) => schemasOf(route).some((one) => hasBarePattern(one))).map(nameOf),
  ).toEqual([]);
});
