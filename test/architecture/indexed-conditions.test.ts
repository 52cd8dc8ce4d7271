import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Of a condition, not of an assignment: there a column stands without its table. */
const COMPARED = /(?:\b(?:where|and|or|on)\s+\(?[\w.]+|\w\.\w+)\s*=\s*coalesce\(.*/gi;

it('compares no column with a coalesce, by which row level security lets no index be read (decision 111)', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('db/migrations/'))
    .map((name) => [name, readFileSync(`src/${name}`, 'utf8')] as const);

  const found = files.flatMap(([name, text]) =>
    [...text.matchAll(COMPARED)].map(([condition]) => `${name}: ${condition}`),
  );

  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
