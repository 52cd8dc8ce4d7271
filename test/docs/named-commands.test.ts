import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { documentedPath, everyRoute } from '../support/every-route.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

const pages = ['.', 'docs', 'clients/typescript'].flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'coverage.md')
    .map((name) => path.join(folder, name)),
);

/** What stands in blocks and between backticks, a line each; continued lines are one. */
function codeOf(text: string): string[] {
  const fence = /^ *```.*\n([\s\S]*?)^ *```/gm;
  const blocks = [...text.matchAll(fence)].map(([, block = '']) => block);
  const spans = [...text.replaceAll(fence, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll('\n', ' '),
  );
  return [...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')), ...spans];
}

const namesOf = (command: Command): string[] => [command.name(), ...command.aliases()];

/** What a line calls that the command line does not have: a command or an option; empty when all is there. */
function unknownIn(line: string, program: Command): string[] {
  // Databases and deployments have that name too.
  const [, words] = /(?:^\s*|npx |exec api |&& )wms ([^#|;]+)/.exec(line) ?? [];
  if (words === undefined || words === 'command line') return [];
  let command = program;
  const rest = words.trim().split(/\s+/);
  while (command.commands.length > 0 && /^[a-z][a-z-]*$/.test(rest[0] ?? '')) {
    const next = command.commands.find((one) => namesOf(one).includes(rest[0] ?? ''));
    if (!next) return [`wms ${words}`];
    command = next;
    rest.shift();
  }
  const known = new Set([...command.options.flatMap(({ short, long }) => [short, long]), '--help']);
  return [...rest.join(' ').matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
    .map(([option]) => option)
    .filter((option) => !known.has(option))
    .map((option) => `${command.name()} ${option}`);
}

/** The names of one indented list of a source: benchmarks, or their flags. */
const namesIn = (file: string, entry: RegExp): string[] =>
  [...read(file).matchAll(entry)].map(([, name = '']) => name);

const benchSources = ['bench/run.ts', 'bench/costs/programs.ts'];
const benchmarks = benchSources.flatMap((file) => namesIn(file, /^ {2}'?([a-z-]+)'?: \(\) =>/gm));
const benchFlags = benchSources.flatMap((file) => namesIn(file, /'?\b([a-z-]+)'?: \{ type: '/g));
const operations = new Set(everyRoute.map((route) => `${route.method} ${documentedPath(route)}`));

describe.each(pages)('%s', (page) => {
  const code = codeOf(read(page));

  it('names no operation of the API that it does not have', () => {
    const named = code.flatMap((line) => [
      ...line.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (?:\/api)?(\/v1\/[\w{}:/-]+)/g),
    ]);

    const names = named.map(([, method, path = '']) => `${method} ${documentedPath({ path })}`);
    expect(names.filter((name) => !operations.has(name))).toEqual([]);
  });

  it('runs no benchmark, and gives it no flag, that there is not', () => {
    const runs = code.flatMap((line) => [...line.matchAll(/npm run bench -- ([a-z-]+)([^`]*)/g)]);
    const flags = runs.flatMap(([, , rest = '']) => [...rest.matchAll(/--([a-z-]+)/g)]);

    expect(benchmarks.length).toBeGreaterThan(20);
    expect(runs.map(([, name = '']) => name).filter((name) => !benchmarks.includes(name))).toEqual(
      [],
    );
    expect(flags.map(([, flag = '']) => flag).filter((flag) => !benchFlags.includes(flag))).toEqual(
      [],
    );
  });

  it('calls no wms command, and gives it no option, that it does not have', () => {
    const program = createProgram();

    expect(code.flatMap((line) => unknownIn(line, program))).toEqual([]);
  });

  it('runs no script that package.json does not have', () => {
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    const called = code.flatMap((line) => [...line.matchAll(/npm run (?:-s )?([\w-]+)/g)]);

    expect(called.map(([, name]) => name).filter((name) => !scripts.includes(name ?? ''))).toEqual(
      [],
    );
  });
});
