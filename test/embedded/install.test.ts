import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../../scripts/install.mjs', import.meta.url));
let clone: string;

/** Stands for npm: writes down that it ran, and what npm writes when it has installed. */
const NPM = `const fs = require('node:fs');
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
if (fs.existsSync('offline')) process.exit(7);
fs.rmSync('node_modules', { recursive: true, force: true });
setTimeout(() => fs.mkdirSync('node_modules'), 300);
`;

beforeEach(() => {
  clone = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-clone-'));
  fs.mkdirSync(path.join(clone, 'scripts'));
  fs.copyFileSync(script, path.join(clone, 'scripts/install.mjs'));
  fs.writeFileSync(path.join(clone, 'npm-cli.cjs'), NPM);
  lock('1.0.0');
});

afterEach(() => fs.rmSync(clone, { recursive: true, force: true }));

function lock(version: string): void {
  const packages = {
    '': {},
    'node_modules/a': { version },
    'node_modules/b': { version, optional: true },
  };
  fs.writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify({ packages }));
}

const calls = (): string[] =>
  fs.existsSync(path.join(clone, 'calls'))
    ? fs.readFileSync(path.join(clone, 'calls'), 'utf8').trim().split('\n')
    : [];

async function install(): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ['scripts/install.mjs'], {
    cwd: clone,
    env: { ...process.env, npm_execpath: path.join(clone, 'npm-cli.cjs') },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said };
}

describe('installing the packages', () => {
  it('installs from the lock file once, and then says nothing', async () => {
    const first = await install();
    const second = await install();

    expect(first.code).toBe(0);
    expect(first.said).toContain('Installing the locked packages');
    expect(second).toEqual({ code: 0, said: '' });
    expect(calls()).toEqual(['ci --include=dev --include=optional']);
  });

  it('installs again when the lock file has changed', async () => {
    await install();
    lock('2.0.0');

    await install();

    expect(calls()).toHaveLength(2);
  });

  it('takes what was installed by hand, without the optional packages of other machines', async () => {
    fs.mkdirSync(path.join(clone, 'node_modules'));
    fs.writeFileSync(
      path.join(clone, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );

    expect(await install()).toEqual({ code: 0, said: '' });
    expect(calls()).toEqual([]);
  });

  it('installs once when two commands start side by side', async () => {
    const both = await Promise.all([install(), install()]);

    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(calls()).toHaveLength(1);
    expect(fs.existsSync(path.join(clone, '.install.lock'))).toBe(false);
  });

  it('is not stopped by an installation that was killed', async () => {
    fs.writeFileSync(path.join(clone, '.install.lock'), '999999999');

    expect((await install()).code).toBe(0);
    expect(calls()).toHaveLength(1);
  });

  it('says what to do when npm fails, and tries again the next time', async () => {
    fs.writeFileSync(path.join(clone, 'offline'), '');
    const failed = await install();
    fs.rmSync(path.join(clone, 'offline'));

    const later = await install();

    expect(failed.code).toBe(1);
    expect(failed.said).toMatch(
      /"npm ci" ended with 7.*check that the npm registry can be reached/,
    );
    expect(later.code).toBe(0);
  });
});
