import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let files: TestDatabase;
let database: Database;
let workspaceId: string;
let folder: string;
let body: object;
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  const { ctx } = await aWorkspace(database);
  workspaceId = ctx.organizationId;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'reminder-'));
  body = {
    title: 'Aviso',
    text: 'Sua consulta é amanhã.',
    target: 'phone',
    phone: '+55 11 98765-4321',
    number_id: (await aNumber(ctx)).id,
    repeat: 'daily',
    time: '09:00',
    transactional: true,
  };
});
afterAll(async () => {
  fs.rmSync(folder, { recursive: true });
  await database.close();
  await files.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
function wms(...args: string[]): Promise<any> {
  const env = {
    ...process.env,
    DATABASE_URL: files.url,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const all = [MAIN, 'reminder', ...args, '--workspace', workspaceId, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (_, stdout) => resolve(JSON.parse(stdout)));
  });
}

function write(content: object): string {
  const file = path.join(folder, 'reminder.json');
  fs.writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('wms reminder', () => {
  it('creates, also a transactional one, lists and cancels', async () => {
    const made = await wms('create', '--file', write(body));
    const listed = await wms('list');
    const cancelled = await wms('cancel', made.id);

    expect(made).toMatchObject({ status: 'active', transactional: true, phone: '+5511987654321' });
    expect(listed).toEqual([made]);
    expect(cancelled).toMatchObject({ id: made.id, status: 'cancelled' });
  }, 60_000);

  it('says what is wrong, field by field', async () => {
    const { error } = await wms('create', '--file', write({ ...body, time: '9h' }));

    expect(error).toMatchObject({ code: 'validation', details: [{ path: 'time' }] });
  }, 60_000);
});
