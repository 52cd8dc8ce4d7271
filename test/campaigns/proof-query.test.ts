import { expect, it } from '@jest/globals';
import { proofQuery } from '../../src/campaigns/proof/schema.ts';
import { AppError } from '../../src/errors.ts';
import { guard } from '../../src/http/guard.ts';

it.each([
  ['0', { rule: 'min', limit: 1 }],
  ['-1', { rule: 'min', limit: 1 }],
  ['1001', { rule: 'max', limit: 1000 }],
  ['99999999999999999999', { rule: 'max', limit: 1000 }],
  ['1.5', { rule: 'format' }],
  ['a', { rule: 'format' }],
])('lines of a proof are refused by their bounds: %s', (lines, problem) => {
  const refusal = expect.objectContaining({ path: 'lines', ...problem });

  expect(() => guard(proofQuery, { lines })).toThrow(AppError);
  expect(() => guard(proofQuery, { lines })).toThrow(
    expect.objectContaining({ details: [refusal] }),
  );
});

it.each(['1', '1000'])('%s lines of a proof can be read', (lines) => {
  expect(guard(proofQuery, { lines })).toEqual({ lines: Number(lines) });
});
