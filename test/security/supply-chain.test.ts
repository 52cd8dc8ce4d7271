import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');
const packages: Record<string, Locked> = JSON.parse(read('package-lock.json')).packages;
const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 13);
const installed = Object.entries(packages)
  .filter(([place]) => place !== '')
  .map(([place, locked]) => ({ name: nameOf(place), ...locked }));

/** Licences that ask for no more than to be named. */
const FREE = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-0-Clause', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'],
  ...['BlueOak-1.0.0', 'Unlicense', 'Python-2.0', 'Zlib', 'CC0-1.0'],
];

/** Each with the reason why it is all right here. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'caniuse-lite':
    'CC-BY-4.0: a table of browsers that the compiler of the workflow bundle brings along',
  'axe-core': 'MPL-2.0: unchanged, and in tests alone',
  unionfs: 'names none in its manifest; its repository has the Unlicense',
};

const isFree = (license = ''): boolean =>
  license
    .replace(/[()]/g, '')
    .split(/ AND | OR /)
    .every((part) => FREE.includes(part));

/** Folders and files of ours; what is installed or made elsewhere is left out. */
const SKIPPED = ['node_modules', '.git', '.data', '.env', 'secrets.env', 'coverage', 'dist'];
/** Made up for documents and tests. */
const KNOWN = /0123456789abcdef0123456789abcdef|MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/;
/** Over two lines, which a change shows with a sign before each. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\n|\\n)[+ -]?[A-Za-z0-9+/]{40}/g;
const SECRETS = [
  /sk_live_[0-9a-f]{32}/,
  /whsec_[A-Za-z0-9+/]{32,}/,
  /\bEAA[A-Za-z0-9]{60,}/,
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bxox[abp]-[0-9A-Za-z-]{20,}/,
];

const files = (folder: string): string[] =>
  fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.includes(entry.name)) return [];
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return files(name);
    return entry.isFile() ? [name] : [];
  });

const secretsIn = (text: string): string[] => [
  ...text
    .split('\n')
    .filter((line) => SECRETS.some((secret) => secret.test(line)) && !KNOWN.test(line)),
  ...(text.match(PRIVATE_KEY) ?? []),
];

/** Every change there ever was; nothing where only the files are. */
const history = (): string =>
  fs.existsSync(path.join(ROOT, '.git'))
    ? execFileSync('git', ['log', '-p', '--no-color'], {
        cwd: ROOT,
        encoding: 'utf8',
        maxBuffer: 2 ** 29,
      })
    : '';

describe('what is installed', () => {
  it('comes under licences that ask for no more than to be named, or has its reason', () => {
    const others = installed.filter(({ license }) => !isFree(license)).map(({ name }) => name);

    expect(installed.length).toBeGreaterThan(500);
    expect([...new Set(others)].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  });

  it('runs no script of its own on a server while it is installed, unless that was decided', () => {
    const { allowScripts } = JSON.parse(read('package.json'));
    const scripted = installed
      .filter((each) => each.hasInstallScript && !each.dev)
      .map(({ name }) => name);

    expect(scripted.filter((name) => !(name in allowScripts))).toEqual([]);
  });
});

describe('this repository', () => {
  it('holds no secret of anybody', () => {
    const found = files('').flatMap((file) =>
      secretsIn(read(file)).map((line) => `${file}: ${line.trim().slice(0, 60)}`),
    );

    expect(found).toEqual([]);
  });

  it('never held one, in no commit', () => {
    const found = secretsIn(history()).map((line) => line.trim().slice(0, 60));

    expect(found).toEqual([]);
  });

  it('would find one', () => {
    const made = `sk_live_${'0a1b2c3d'.repeat(4)}`;
    const known = `sk_live_${'0123456789abcdef'.repeat(2)}`;

    const pem = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).privateKey;

    expect(secretsIn(`KEY=${made}\nKEY=${known}`)).toEqual([`KEY=${made}`]);
    expect(secretsIn(pem)).toHaveLength(1);
    expect(secretsIn(pem.replaceAll(/^/gm, '+'))).toHaveLength(1);
  });
});
