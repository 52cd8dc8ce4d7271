// Compares docs/coverage.md with the specification's lines and the tests that prove them.
// WRITE_COVERAGE=1 npm test -- test/coverage writes the page anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERROR_STATUS } from '../../src/errors.ts';
import { documentedPath, everyRoute } from '../support/every-route.ts';
import type { Line, Proof } from './lines.ts';
import { renderPage } from './page.ts';
import { sections } from './specification/index.ts';
import { notBuiltYet } from './specification/later.ts';
import { isCalled, testTitles } from './titles.ts';

const tests = join(import.meta.dirname, '..');
const page = join(tests, '../docs/coverage.md');
const lines: readonly Line[] = sections.flatMap((section) => section.lines);

const byFile = new Map<string, readonly string[]>();
function titlesOf(file: string): readonly string[] {
  const path = join(tests, `${file}.test.ts`);
  const known = byFile.get(file) ?? (existsSync(path) ? testTitles(path) : []);
  byFile.set(file, known);
  return known;
}

const called = ({ file, test }: Proof): readonly string[] =>
  titlesOf(file).filter((full) => isCalled(full, test));

/** What is wrong with a proof: no test of this title, or more than one. */
function problemOf(proof: Proof): string[] {
  const found = called(proof).length;
  return found === 1 ? [] : [`${proof.file}: ${found} tests are called "${proof.test}"`];
}

const named = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${documentedPath({ path })}`;

const repeated = (texts: readonly string[]): string[] =>
  texts.filter((one, i) => texts.indexOf(one) !== i);

describe('the specification', () => {
  it('has a proof of every line, and no line twice', () => {
    expect(lines.filter(({ proofs }) => proofs.length === 0).map((one) => one.line)).toEqual([]);
    expect(sections.filter((section) => section.lines.length === 0)).toEqual([]);
    const said = [...lines.map((one) => one.line), ...notBuiltYet.map((one) => one.line)];
    expect(repeated(said)).toEqual([]);
    for (const { proofs } of lines)
      expect(repeated(proofs.map(({ file, test }) => `${file}: ${test}`))).toEqual([]);
  });

  it('is proved by tests that exist, each found by its file and title alone', () => {
    expect([...new Set(lines.flatMap(({ proofs }) => proofs.flatMap(problemOf)))]).toEqual([]);
  });

  it('has a line for each route, with its scope, and for nothing else', () => {
    const said = lines.flatMap(({ route, access }) =>
      route && access ? [`${route} ${access.scope}${access.oauthOnly ? ' oauth' : ''}`] : [],
    );
    const served = everyRoute.map(
      (route) =>
        `${named(route)} ${route.scope}${route.kind === 'write' && route.apiKeys === false ? ' oauth' : ''}`,
    );

    expect(said.toSorted()).toEqual(served.toSorted());
  });

  it('has a line for each error code, with its status', () => {
    const said = lines.flatMap((one) => (one.code ? [[one.code, one.line] as const] : []));

    expect([...new Set(said.map(([code]) => code))].toSorted()).toEqual(
      Object.keys(ERROR_STATUS).toSorted(),
    );
    for (const [code, text] of said) expect(text).toMatch(new RegExp(`^${ERROR_STATUS[code]} `));
  });

  it('leaves to later only what is not there', () => {
    const served = new Set(everyRoute.map(named));

    expect(
      notBuiltYet.flatMap(({ routes = [] }) => routes).filter((route) => served.has(route)),
    ).toEqual([]);
  });
});

describe('docs/coverage.md', () => {
  it('is what the lines and their proofs make', () => {
    const made = renderPage(sections, notBuiltYet, (proof) => called(proof)[0] ?? proof.test);
    if (process.env['WRITE_COVERAGE'] === '1') writeFileSync(page, made);

    expect(readFileSync(page, 'utf8')).toBe(made);
  });
});
