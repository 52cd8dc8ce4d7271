import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let files: TestDatabase;
let database: Database;
let workspaceId: string;
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  ({ workspaceId } = await aWorkspace(database));
});
afterAll(async () => {
  await database.close();
  await files.close();
});

interface Said {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly json: any;
}

/** Runs `wms pipeline …` as a person would, in a process of its own. */
function wms(...args: string[]): Promise<Said> {
  const env = {
    ...process.env,
    DATABASE_URL: files.url,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const all = [MAIN, 'pipeline', ...args, '--workspace', workspaceId, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (error, stdout) =>
      resolve({ code: error ? 1 : 0, json: JSON.parse(stdout) }),
    );
  });
}

const names = ({ json }: Said): string[] =>
  json.stages.map((stage: { name: string }) => stage.name);

describe('wms pipeline', () => {
  it('creates a pipeline and arranges its stages', async () => {
    const made = await wms('create', '--name', 'Vendas', '--stages', 'Novo:open,Ganho:won');
    const lost = await wms('add-stage', made.json.id, '--name', 'Perdido', '--kind', 'lost');
    const moved = await wms('move-stage', lost.json.stages[2].id, '--position', '1');
    const listed = await wms('list');

    expect(names(lost)).toEqual(['Novo', 'Ganho', 'Perdido']);
    expect(names(moved)).toEqual(['Novo', 'Perdido', 'Ganho']);
    expect(listed.json).toEqual([moved.json]);
  }, 60_000);

  it('says what is wrong, field by field', async () => {
    const refused = await wms('create', '--name', 'Fim', '--stages', 'Ganho:won,Novo:maybe');

    expect(refused.code).toBe(1);
    expect(refused.json.error).toMatchObject({
      code: 'validation',
      details: [{ path: 'stages[1].kind', rule: 'enum' }],
    });
  }, 60_000);
});
