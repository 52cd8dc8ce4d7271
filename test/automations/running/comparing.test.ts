import { expect, it } from '@jest/globals';
import { compares } from '../../../src/automations/running/conditions/comparing.ts';

it('a number between two others may be either of them', () => {
  const isBetween = (known: number): boolean =>
    compares('number', { field: 'number', op: 'between', value: [1, 5] }, known);

  expect([0.9, 1, 5, 5.1].map(isBetween)).toEqual([false, true, true, false]);
});
