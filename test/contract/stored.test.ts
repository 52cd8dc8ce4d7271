import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { words } from '../../src/http/fields.ts';
import { everyRoute } from '../support/every-route.ts';

/** The places of an answer that check more than a type, such as how a text is written. */
function rulesIn(schema: z.core.$ZodType, path = ''): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const own = def.checks?.some((check) => check._zod.def.check === 'custom') ? [path] : [];
  return [...own, ...partsOf(def).flatMap(([name, part]) => rulesIn(part, `${path}${name}`))];
}

function partsOf(def: z.core.$ZodTypes['_zod']['def']): [string, z.core.$ZodType][] {
  if (def.type === 'object')
    return Object.entries(def.shape).map(([name, part]) => [`.${name}`, part]);
  if (def.type === 'array') return [['[]', def.element]];
  if (def.type === 'record') return [['{}', def.valueType]];
  if (def.type === 'union') return def.options.map((part) => ['', part]);
  if (def.type === 'pipe')
    return [
      ['', def.in],
      ['', def.out],
    ];
  // It answers as stored whatever does not fit.
  if (def.type === 'catch') return [];
  return 'innerType' in def ? [['', def.innerType]] : [];
}

it('finds rules wherever they are', () => {
  const found = rulesIn(z.strictObject({ a: z.array(words(9)).nullable(), b: z.string() }));

  expect(found).toEqual(['.a[]']);
});

/** A rule that becomes stricter would hide every record written before, and keep it from being turned off. */
it('no answer has rules of its own that a stored record could break', () => {
  const found = everyRoute.flatMap((route) =>
    rulesIn(route.kind === 'list' ? route.item : route.reply).map((at) => route.operationId + at),
  );

  expect(found).toEqual([]);
});
