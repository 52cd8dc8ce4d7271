import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exampleDraft } from '../../src/automations/examples.ts';
import type { Context } from '../../src/context.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let files: TestDatabase;
let database: Database;
let ctx: Context;
let folder: string;

beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  ({ ctx } = await aWorkspace(database));
  folder = mkdtempSync(path.join(tmpdir(), 'wms-automation-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
  await files.close();
});

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const wms = (...args: string[]): Promise<Said> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      DATA_DIR: folder,
      DATABASE_URL: files.url,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    };
    const own = ['automation', ...args, '--workspace', ctx.organizationId];
    execFile(process.execPath, [PROGRAM, ...own], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

function file(content: unknown): string {
  const name = path.join(folder, `${randomBytes(4).toString('hex')}.json`);
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const simple = (name: string) => ({
  name,
  trigger: { type: 'manual' },
  steps: [{ id: 'end', type: 'end' }],
});

describe('wms automation', () => {
  it('makes a draft of a file, changes it, turns it on and off', async () => {
    const made = await wms('create', '--file', file(simple('Um')), '--json');
    const { id, status, version } = JSON.parse(made.out);
    expect([made.code, status, version]).toEqual([0, 'draft', 0]);

    const changed = await wms('update', id, '--file', file({ name: 'Dois' }), '--json');
    expect(JSON.parse(changed.out)).toMatchObject({ id, name: 'Dois', version: 0 });
    const on = await wms('activate', id);
    expect(on.out).toBe(`automation ${id} (Dois) is active, version 1\n`);
    const { id: contactId } = await aContact(ctx);
    await aRun(ctx, { automationId: id, contactId });
    const off = await wms('deactivate', id, '--cancel', '--json');
    expect(JSON.parse(off.out)).toMatchObject({ id, status: 'inactive' });
  });

  it('says what keeps a draft from working, and where', async () => {
    const made = await wms('create', '--file', file(exampleDraft));
    const id = /atm_\w+/.exec(made.out)?.[0] ?? '';

    const refused = await wms('activate', id);

    expect(made.out).toContain('error at steps[4].team_id: There is no such team.');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('steps[4].team_id');
  });

  it('names the places of a file that is no automation', async () => {
    const wrong = await wms(
      'create',
      '--file',
      file({ ...simple('X'), steps: [{ id: 'x', type: 'y' }] }),
    );
    const unreadable = await wms('create', '--file', file('{'));

    expect([wrong.code, wrong.err.split(':')[0]]).toEqual([1, 'steps[0].type']);
    expect(unreadable.err).toContain('cannot be read as JSON');
  });

  it('lists them, newest first', async () => {
    const { id } = await anActiveAutomation(ctx, { name: 'Newest' });

    const { out } = await wms('list');

    expect(out.split('\n')[0]).toMatch(new RegExp(`^${id} +active +v1 +Newest$`));
  });
});
