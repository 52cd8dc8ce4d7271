import { expect, it } from '@jest/globals';
import { createFairLimiter } from '../../src/concurrency.ts';

/** Work of `a1`, `a2`, `b1`, …, by the letter's turn; what has begun can be ended. */
function places(most: number) {
  const limiterOf = createFairLimiter(most);
  const begun: string[] = [];
  const ending = new Map<string, () => void>();
  return {
    begun,
    wants: (...names: string[]) => {
      for (const name of names)
        void limiterOf(name.charAt(0))(() => {
          begun.push(name);
          return new Promise<void>((resolve) => ending.set(name, resolve));
        });
    },
    ends: async (name: string) => {
      ending.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('a place that is given back goes to whoever has the fewest, though others have waited longer', async () => {
  const { begun, wants, ends } = places(2);
  wants('a1', 'a2', 'a3', 'b1');

  await ends('a1');

  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

it('among equals it goes to whose last turn is longest ago', async () => {
  const { begun, wants, ends } = places(1);
  wants('a1', 'a2', 'a3', 'b1');

  for (const name of ['a1', 'a2', 'b1']) await ends(name);

  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});
