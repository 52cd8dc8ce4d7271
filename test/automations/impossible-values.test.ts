import { describe, expect, it } from '@jest/globals';
import { END, issues } from './support/definitions.ts';

describe('a constant of set_field', () => {
  it.each([
    ['email', 'x'],
    ['birth_date', 'ontem'],
    ['birth_date', 5],
    ['birth_date', '1850-01-01'],
    ['language', '??'],
    ['language', true],
    ['custom.id', 1e300],
  ])('names what the field %s can never hold: %j', (field, value) => {
    const set = { id: 'a', type: 'set_field', field, value, next: 'end' };

    expect(issues([set, END])).toEqual(['a impossible_value steps[0].value']);
  });

  it.each([
    ['email', null],
    ['email', ' ana@padaria.com.br '],
    ['email', '{{step.ask.answer}}'],
    ['birth_date', ''],
    ['birth_date', '2999-01-01'],
    ['name', 5],
    ['notes', true],
    ['custom.id', 'x'.repeat(2_000)],
  ])('leaves what the field %s can hold, or may one day: %j', (field, value) => {
    const ask = { id: 'ask', type: 'ask', text: 'x', timeout: 'P1D', next: 'a', on_timeout: 'end' };
    const set = { id: 'a', type: 'set_field', field, value, next: 'end' };

    expect(issues([ask, set, END])).toEqual([]);
  });
});
