import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const FOLDER = fileURLToPath(new URL('../../docs/decisions', import.meta.url));
const read = (file: string): string => fs.readFileSync(path.join(FOLDER, file), 'utf8');

/** The numbers of a subject's page, as its headings give them. */
const numbersOf = (file: string): number[] =>
  [...read(file).matchAll(/^## (\d+)$/gm)].map(([, number]) => Number(number));

const index = read('README.md');
const subjects = fs.readdirSync(FOLDER).filter((file) => file !== 'README.md');

it('the index of decisions lists the numbers of each subject', () => {
  const listed = [...index.matchAll(/^\| \[.*\]\((.*)\) \| .* \| ([\d, ]+) \|$/gm)].map(
    ([, file, numbers = '']) => ({ file, numbers: numbers.split(', ').map(Number) }),
  );

  expect(listed.toSorted((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1))).toEqual(
    subjects.toSorted().map((file) => ({ file, numbers: numbersOf(file) })),
  );
});

it('no two decisions have the same number, and the next one is free', () => {
  const numbers = subjects.flatMap(numbersOf);
  const next = Number(index.match(/next number, which is (\d+)/)?.[1]);

  expect(new Set(numbers).size).toBe(numbers.length);
  expect(next).toBe(Math.max(...numbers) + 1);
});
