import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Database, sqlOver } from '../../../src/db/database.ts';
import { createLog } from '../../../src/log.ts';
import { fanOut } from '../../../src/webhooks/lanes/intake.ts';
import { Recorder } from '../../../src/webhooks/lanes/recorder.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';

const TOKEN = 'a-process';
let database: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  database = await openOwnDatabase();
  close = async () => {
    await database.close();
  };
});
afterAll(() => close());

it('writes every attempt down, also beside one whose answer the database cannot keep', async () => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/one');
  await sentEvents(database, workspaceId, 3);
  const sql = sqlOver(database.system);
  const { claimed } = await fanOut(sql, { token: TOKEN, full: [] }, 100);
  const recorder = new Recorder({
    database,
    token: TOKEN,
    clock: {},
    backoff: { scale: 1, jitter: () => 0 },
    log: createLog({ level: 'silent', format: 'json' }),
    onCommands: () => {},
    onOutcome: () => {},
  });

  const answers = ['whole', 'cut\u0000off', 'whole'];
  for (const [n, attempt] of claimed.entries())
    recorder.settle(
      attempt,
      {
        kind: 'failed',
        code: 500,
        durationMs: 5,
        response: answers[n] ?? '',
        error: 'status',
        retryAfterMs: null,
      },
      { startedAt: new Date(), failuresBefore: 0 },
    );
  await recorder.stop();

  const rows = await sql.rows(
    'select status, attempts, response from webhook_deliveries where endpoint_id = $1 order by id',
    [id],
  );
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(
    expect.arrayContaining([
      { status: 'retrying', attempts: 1, response: 'whole' },
      { status: 'retrying', attempts: 1, response: null },
    ]),
  );
});
