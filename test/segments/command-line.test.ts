import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

let files: TestDatabase;
let database: Database;
let ctx: Context;
let folder: string;
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  ({ ctx } = await aWorkspace(database));
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-rules-'));
});
afterAll(async () => {
  fs.rmSync(folder, { recursive: true });
  await database.close();
  await files.close();
});

interface Said {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly json: any;
}

/** Runs `wms …` as a person would, in a process of its own. */
function wms(...args: string[]): Promise<Said> {
  const env = {
    ...process.env,
    DATABASE_URL: files.url,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const all = [MAIN, ...args, '--workspace', ctx.organizationId, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (error, stdout) =>
      resolve({ code: error ? 1 : 0, json: JSON.parse(stdout) }),
    );
  });
}

function rulesFile(rules: unknown): string {
  const file = path.join(folder, 'rules.json');
  fs.writeFileSync(file, JSON.stringify(rules));
  return file;
}

describe('wms segment', () => {
  it('makes a segment of the rules in a file, and lists it', async () => {
    await aContact(ctx, { tags: ['VIP'] });
    const file = rulesFile({ field: 'tag', op: 'has_any', value: ['vip'] });

    const made = await wms('segment', 'create', '--name', 'VIPs', '--file', file);
    const listed = await wms('segment', 'list');

    expect(made.json).toEqual({ id: expect.stringMatching(/^seg_/), count: 1 });
    expect(listed.json).toMatchObject([{ id: made.json.id, name: 'VIPs', count: 1 }]);
  }, 60_000);

  it('says where the rules are wrong', async () => {
    const file = rulesFile({ all: [{ field: 'tag', op: 'is', value: true }] });

    const refused = await wms('segment', 'create', '--name', 'VIPs', '--file', file);

    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json)).toContain('rules.all[0].op');
  }, 60_000);
});

describe('wms campaign', () => {
  it('drafts a campaign to a pipeline, which the API never makes, and sends it', async () => {
    const number = await aNumber(ctx);
    const pipeline = await aPipeline(ctx);
    const words = ['--name', 'Propostas', '--number', number.id, '--text', 'Oi {{name|você}}'];
    const stage = pipeline.stages['Proposta'] ?? '';

    const made = await wms(
      ...['campaign', 'create', ...words, '--pipeline', pipeline.id, '--stage', stage],
    );
    const sent = await wms('campaign', 'send', made.json.campaign_id);

    expect(made.json).toEqual({ campaign_id: expect.stringMatching(/^cmp_/), status: 'draft' });
    expect(sent.json).toMatchObject({ status: 'sending' });
  }, 60_000);
});
