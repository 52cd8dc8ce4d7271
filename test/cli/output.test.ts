import { expect, it } from '@jest/globals';
import { table } from '../../src/cli/output.ts';

it('pads the columns of a table to what is shown, whatever people wrote', () => {
  expect(
    table([
      ['name', 'id'],
      ['Ana\u202e', 'con_1'],
    ]),
  ).toEqual(['name       id', String.raw`Ana\u202e  con_1`]);
});
