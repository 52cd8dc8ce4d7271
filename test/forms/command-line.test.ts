import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let files: TestDatabase;
let database: Database;
let workspaceId: string;
let folder: string;
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  ({ workspaceId } = await aWorkspace(database));
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-forms-'));
});
afterAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
  await database.close();
  await files.close();
});

interface Said {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly json: any;
}

/** Runs `wms form …` as a person would, in a process of its own. */
function wms(...args: string[]): Promise<Said> {
  const env = {
    ...process.env,
    DATABASE_URL: files.url,
    DATA_DIR: folder,
    BASE_URL: 'https://mensagens.example',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const all = [MAIN, 'form', ...args, '--workspace', workspaceId, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (error, stdout) =>
      resolve({ code: error ? 1 : 0, json: JSON.parse(stdout) }),
    );
  });
}

function aFile(form: unknown): string {
  const file = path.join(folder, `${Math.random()}.json`);
  fs.writeFileSync(file, JSON.stringify(form));
  return file;
}

const form = {
  title: 'Cadastro',
  description: null,
  fields: [{ type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone', options: [] }],
  thanks: null,
  tag: null,
  automation: null,
};

describe('wms form', () => {
  it('drafts a form from a file, puts it live, lists it and takes it down', async () => {
    const { json: drafted } = await wms('create', '--file', aFile(form));
    const { json: published } = await wms('publish', drafted.id);
    const { json: listed } = await wms('list');
    const { json: down } = await wms('unpublish', drafted.id);

    const url = `https://mensagens.example/f/${drafted.id}`;
    expect(published).toEqual({ id: drafted.id, status: 'published', url });
    expect(listed).toMatchObject([{ id: drafted.id, status: 'published', title: 'Cadastro', url }]);
    expect(down).toMatchObject({ id: drafted.id, status: 'unpublished', url: null });
  }, 60_000);

  it('says what is wrong, field by field', async () => {
    const refused = await wms('create', '--file', aFile({ ...form, title: '' }));

    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json)).toContain('title');
  }, 60_000);
});
