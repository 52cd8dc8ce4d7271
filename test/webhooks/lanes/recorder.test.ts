import { isDeepStrictEqual } from 'node:util';
import { beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { asSystem, sqlOver } from '../../../src/db/database.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { Recorder } from '../../../src/webhooks/lanes/first-attempts/recorder.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';
import { eventually } from '../../support/waiting.ts';
import { asOwner, REFUSE_NO_MORE } from '../events/support/refusing.ts';

const TOKEN = 'a-process';
const database = opened(openOwnDatabase);

interface Line {
  readonly endpoint: string;
  readonly reason: string;
}
let lines: Line[];
beforeEach(() => {
  lines = [];
});

const aRecorder = (onFirst: (status: string) => void = () => {}): Recorder =>
  new Recorder({
    database,
    token: TOKEN,
    clock: {},
    backoff: { scale: 1, jitter: () => 0 },
    log: pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }),
    onCommands: () => {},
    onFirst,
  });

const failed = (response: string) =>
  ({
    kind: 'failed',
    code: 500,
    durationMs: 5,
    response,
    error: 'status',
    retryAfterMs: null,
  }) as const;

const BLOCKED = { ...failed(''), kind: 'blocked', code: null, error: 'dns' } as const;

const DELIVERED = {
  kind: 'delivered',
  error: null,
  code: 200,
  durationMs: 5,
  response: '',
  retryAfterMs: null,
} as const;

const POISON = { kind: 'poison', message: 'cannot be signed' } as const;

const POSTPONED = {
  kind: 'infrastructure',
  message: 'our resolver is away',
  durationMs: 0,
} as const;

const REFUSE_DRAINS = `
  create or replace function refuse() returns trigger language plpgsql as $$ begin raise 'refused by the test'; end $$;
  create trigger refused before insert on facts for each row when (new.type = 'endpoint.changed')
    execute function refuse()`;

const settling = () => ({ startedAt: new Date(), failuresBefore: 0 });

/** As many deliveries of an endpoint, about to be attempted. */
async function claimedOf(count: number) {
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/one');
  await sentEvents(database, workspaceId, count);
  const { claimed } = await fanOut(sqlOver(database.system), { token: TOKEN, full: [] }, 100);
  return { id, claimed };
}

it('tells of first attempts what they led to, and of no others', async () => {
  const { claimed } = await claimedOf(2);
  const [first, retry] = claimed;
  if (!first || !retry) throw new TypeError('Two are attempted.');
  const told: string[] = [];
  const recorder = aRecorder((status) => told.push(status));

  recorder.settle(first, DELIVERED, settling());
  recorder.settle({ ...retry, roundAttempts: 3 }, failed(''), settling());
  await recorder.stop();

  expect(told).toEqual(['succeeded']);
});

it('writes every attempt down, also beside one whose answer the database cannot keep', async () => {
  const { id, claimed } = await claimedOf(3);
  const recorder = aRecorder();

  const answers = ['whole', 'cut\u0000off', 'whole'];
  for (const [n, attempt] of claimed.entries())
    recorder.settle(attempt, failed(answers[n] ?? ''), settling());
  await recorder.stop();

  const rows = await sqlOver(database.system).rows(
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

it('counts the tries of what cannot be sent anew once it was sent', async () => {
  const { claimed } = await claimedOf(1);
  const outcomes: string[] = [];
  const recorder = aRecorder((status) => outcomes.push(status));

  for (const attempt of claimed)
    for (const outcome of [POISON, DELIVERED, POISON, POISON])
      recorder.settle(attempt, outcome, settling());

  expect(outcomes).toEqual(['succeeded']);
  await recorder.stop();
});

it('says of what our own trouble postpones when it is tried again', async () => {
  const { id, claimed } = await claimedOf(2);
  const sql = sqlOver(database.system);
  await sql.rows(
    `update webhook_deliveries set status = 'retrying', attempts = 1, next_attempt_at = now() - interval '1 minute'
     where id = $1`,
    [claimed[0]?.id],
  );
  const recorder = aRecorder();

  for (const attempt of claimed) recorder.settle(attempt, POSTPONED, settling());
  await recorder.stop();

  const rows = await sql.rows(
    `select status, next_attempt_at = lease_until and lease_until > now() as told
     from webhook_deliveries where endpoint_id = $1 order by status`,
    [id],
  );
  expect(rows).toEqual([
    { status: 'pending', told: null },
    { status: 'retrying', told: true },
  ]);
});

it('logs what our own trouble postpones once for each endpoint and reason, however much waits', async () => {
  const [one, other] = [await claimedOf(3), await claimedOf(1)];
  const recorder = aRecorder();
  const away = { ...POSTPONED, message: 'our resolver is still away' };

  for (const attempt of [...one.claimed, ...other.claimed])
    for (const outcome of [POSTPONED, away]) recorder.settle(attempt, outcome, settling());
  await recorder.stop();

  expect(lines.map(({ endpoint, reason }) => [endpoint, reason])).toEqual(
    [one, other].flatMap(({ id }) => [POSTPONED, away].map(({ message }) => [id, message])),
  );
});

it('counts each failure once, whatever of the rest could not be written at first', async () => {
  const { id, claimed } = await claimedOf(3);
  const [first, second, third] = claimed;
  if (!first || !second || !third) throw new Error('nothing was claimed');
  const recorder = aRecorder();
  await asOwner(database.url, REFUSE_DRAINS);

  recorder.settle(first, failed('no'), settling());
  recorder.park([third]);
  await eventually(() => recorder.behind);
  recorder.settle(second, failed('no'), settling());
  await asOwner(database.url, REFUSE_NO_MORE);
  await recorder.stop();

  const [row] = await sqlOver(database.system).rows(
    'select failures_in_row, drain_at is not null as drained from webhook_endpoints where id = $1',
    [id],
  );
  expect(row).toEqual({ failures_in_row: 2, drained: true });
});

it.each([
  ['what was blocked neither for a failure of its endpoint nor for a success', BLOCKED, 1],
  ['a success that is written down together with the failure before it', DELIVERED, 0],
])('counts %s', async (_, next, failures_in_row) => {
  const { id, claimed } = await claimedOf(2);
  const recorder = aRecorder();

  for (const [n, attempt] of claimed.entries())
    recorder.settle(attempt, n === 0 ? failed('') : next, settling());
  await recorder.stop();

  const text = 'select failures_in_row from webhook_endpoints where id = $1';
  expect(await sqlOver(database.system).rows(text, [id])).toEqual([{ failures_in_row }]);
});

it('has a backlog drained that the fan-out filled, though that could not be told at first', async () => {
  const { id } = await claimedOf(1);
  const recorder = aRecorder();
  await asOwner(database.url, REFUSE_DRAINS);

  recorder.drain([id]);
  await eventually(() => recorder.behind);
  await asOwner(database.url, REFUSE_NO_MORE);
  await recorder.stop();

  expect(
    await sqlOver(database.system).rows(
      'select drain_at is not null as drained from webhook_endpoints where id = $1',
      [id],
    ),
  ).toEqual([{ drained: true }]);
});

it('keeps nobody waiting for an endpoint that somebody has locked, and loses nothing of it', async () => {
  const [locked, other] = [await claimedOf(2), await claimedOf(2)];
  const [failing, parked] = locked.claimed;
  const [first, second] = other.claimed;
  if (!failing || !parked || !first || !second) throw new Error('nothing was claimed');
  const recorder = aRecorder();
  const read = <R>(text: string, id: string): Promise<R[]> =>
    sqlOver(database.system).rows<R>(text, [id]);
  const succeeded = async ({ id }: { id: string }): Promise<boolean> =>
    (await read("select from webhook_deliveries where id = $1 and status = 'succeeded'", id))
      .length > 0;
  const stand = () =>
    read(
      'select failures_in_row as failures, drain_at is not null as drained from webhook_endpoints where id = $1',
      locked.id,
    );
  await asSystem(database, async (sql) => {
    await sql.rows('select from webhook_endpoints where id = $1 for update', [locked.id]);
    recorder.settle(failing, failed('no'), settling());
    recorder.park([parked]);
    for (const attempt of [first, second]) {
      recorder.settle(attempt, DELIVERED, settling());
      // A statement that waits for the lock ends after 15 s.
      await eventually(() => succeeded(attempt), { timeoutMs: 10_000 });
    }
  });

  expect(recorder.behind).toBe(false);
  // The lock may end between the two statements: then the one does it now and the other in 200 ms.
  await eventually(async () => isDeepStrictEqual(await stand(), [{ failures: 1, drained: true }]));
  await recorder.stop();
  expect(await stand()).toEqual([{ failures: 1, drained: true }]);
});
