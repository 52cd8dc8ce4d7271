import { describe, expect, it } from '@jest/globals';
import { contactPatchBody } from '../../src/contacts/schema.ts';
import { AppError } from '../../src/errors.ts';
import { guard } from '../../src/http/guard.ts';

/** What is said of a custom field with this value. */
function problemsOf(value: unknown): unknown {
  try {
    guard(contactPatchBody, { custom: { x: value } });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details;
  }
}

describe('a value that may be of several types', () => {
  it.each([
    [
      Array(51).fill('a'),
      { path: 'custom.x', rule: 'max_items', limit: 50, message: 'Must be at most 50 items.' },
    ],
    [['a', 1], { path: 'custom.x[1]', rule: 'type', message: 'Must be a string.' }],
    [
      'a'.repeat(2_001),
      {
        path: 'custom.x',
        rule: 'max_length',
        limit: 2_000,
        message: 'Must be at most 2000 characters.',
      },
    ],
  ])('is held to the rules of its own: %j', (value, problem) => {
    expect(problemsOf(value)).toEqual([problem]);
  });

  it('hears which there are, if it is of none', () => {
    const message = 'Must be a string, a number, a boolean, null or an array.';

    expect(problemsOf({ b: 1 })).toEqual([{ path: 'custom.x', rule: 'type', message }]);
  });
});
