import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSecret } from '../../src/webhooks/signing/signature.ts';
import { aCredential } from '../support/credentials.ts';
import { everyRoute } from '../support/every-route.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = path.join(root, 'clients', 'typescript');

let door: OpenDoor;
let folder: string;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-packed-'));
});
afterAll(async () => {
  await door.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

function run(command: string, args: readonly string[], cwd: string, env = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(command, [...args], options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  return stdout;
}

const USE = `
import { createClient, paginate, verifyWebhook, type Contact } from '@workspace-messaging/client';
const api = createClient({ apiKey: process.env['KEY'] ?? '', baseUrl: process.env['URL'] ?? '' });
const { id } = await api.createContact({ body: { name: 'Ana' } });
const found: Contact[] = [];
for await (const contact of paginate((page) => api.listContacts({ query: page }))) found.push(contact);
const fault = await verifyWebhook({}, '', process.env['SECRET'] ?? '').catch((error: Error) => error.name);
console.log(JSON.stringify([found.map((contact) => contact.id === id), fault]));
`;

describe('the packed client', () => {
  it('holds compiled code and its types, needs nothing, and works in a project of somebody else', async () => {
    const packed = run('npm', ['pack', '--json', '--pack-destination', folder], source);
    const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('[')));
    const home = path.join(folder, 'node_modules', '@workspace-messaging', 'client');
    fs.mkdirSync(home, { recursive: true });
    run('tar', ['-xzf', path.join(folder, filename), '--strip-components=1', '-C', home], folder);
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    fs.writeFileSync(path.join(folder, 'use.ts'), USE);

    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = path.join(root, 'node_modules', '@types');
    run(
      process.execPath,
      // Everything strict, and the package's own declarations checked too.
      [
        ...[compiler, '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
        ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'],
        ...['--typeRoots', types, '--types', 'node', '--skipLibCheck', 'false', 'use.ts'],
      ],
      folder,
    );
    const { key } = await aCredential(door.database);
    // The service answers from this process: its caller is waited for without blocking it.
    const { stdout } = await promisify(execFile)(process.execPath, ['use.js'], {
      cwd: folder,
      env: { KEY: key, URL: door.api.url, SECRET: newSecret() },
    });

    expect(JSON.parse(stdout)).toEqual([[true], 'WebhookRefused']);
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
    const paths = files.map((file: { path: string }) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts']),
    );
  });
});
