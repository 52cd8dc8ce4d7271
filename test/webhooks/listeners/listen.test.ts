import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { ownPort } from '../../support/ports.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, type Running, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';

let shell: Shell;
let relay: RunningRelay;
let receiver: Receiver;
const running: Running[] = [];

beforeAll(async () => {
  shell = await openShell({ NODE_ENV: 'test' });
  const { databaseUrl: url, database } = shell;
  relay = await runRelay({ url, database, trustedOrigins: [] });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')));
  await receiver?.close();
  // The next one has its own address; this one's would go on collecting.
  await rowsOf(shell.ctx, 'update webhook_endpoints set deleted_at = now()');
});
afterAll(async () => {
  await relay.stop();
  await shell.close();
});

const PATIENCE_MS = 60_000;

const patientWith = (one: Running) => ({
  timeoutMs: PATIENCE_MS,
  instead: () => `${one.lines().join('\n')} ${one.err()}`,
});

/** Begins to listen for the receiver, and waits until it says so. */
async function listen(...more: string[]): Promise<Running> {
  const one = shell.start('listen', '--forward-to', `${receiver.origin}/hooks`, ...more);
  running.push(one);
  await eventually(() => one.lines().length > 0, patientWith(one));
  return one;
}

const secretOf = (one: Running): string =>
  /secret (whsec_\S+)/.exec(one.lines().join('\n'))?.[1] ?? '';
const events = (count: number): Promise<string[]> =>
  sentEvents(shell.database, shell.ctx.organizationId, count);
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id']);
/** The lines about deliveries. */
const answersOf = (one: Running): string[] => one.lines().filter((line) => line.includes(' -> '));
const said = (one: Running, text: string, times = 1): Promise<void> =>
  eventually(
    () => one.lines().filter((line) => line.includes(text)).length >= times,
    patientWith(one),
  );

interface DeliveryRow {
  readonly status: string;
  readonly code: number | null;
  readonly attempts: number;
  readonly event_id: string;
}

const deliveries = (ids: readonly string[]): Promise<DeliveryRow[]> =>
  rowsOf<DeliveryRow>(
    shell.ctx,
    'select status, code, attempts, event_id from webhook_deliveries where event_id = any($1) order by event_id',
    [ids],
  );

describe('wms listen', () => {
  it('forwards each event, verified with the secret it printed, and says what was answered', async () => {
    receiver = await startReceiver();
    const one = await listen();

    const ids = await events(3);
    await receiver.waitFor(3, PATIENCE_MS);
    await said(one, ' -> ', 3);

    const verifier = new Webhook(secretOf(one));
    for (const { body, headers } of receiver.received)
      expect(verifier.verify(body, headers)).toMatchObject({ type: 'message.sent' });
    expect(idsOf(receiver)).toEqual(ids);
    expect(answersOf(one)[0]).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d message\\.sent ${ids[0]} -> 200 OK \\(\\d+ ms\\)$`),
    );
    expect(await deliveries(ids)).toMatchObject(
      ids.map((id) => ({ status: 'succeeded', code: 200, attempts: 1, event_id: id })),
    );
  });

  it('brings what happened while it was stopped, once, in order, under the same secret', async () => {
    receiver = await startReceiver();
    const before = await listen();
    const [early] = await events(1);
    await said(before, ' -> ');
    expect(await before.stop()).toBe(0);

    const late = await events(20);
    const after = await listen();
    await said(after, ' -> ', 20);

    expect(idsOf(receiver)).toEqual([early, ...late]);
    expect(secretOf(after)).toBe(secretOf(before));
  });

  it('waits for a receiver that is away, says so once, and goes on in order', async () => {
    receiver = await startReceiver(await ownPort());
    const { origin } = receiver;
    const one = await listen();
    await receiver.close();

    const ids = await events(3);
    await said(one, `Nothing answers at ${origin}/hooks`);
    await eventually(async () => (await deliveries(ids)).length === 3, { timeoutMs: PATIENCE_MS });
    expect(await deliveries(ids)).toMatchObject(ids.map(() => ({ status: 'held', attempts: 0 })));
    receiver = await startReceiver(Number(new URL(origin).port));
    await said(one, ' -> ', 3);

    expect(idsOf(receiver)).toEqual(ids);
    expect(one.lines().filter((line) => line.startsWith('Nothing answers'))).toHaveLength(1);
  });

  it('tells a program, too, what it waits for: beside the lines of JSON, on its standard error', async () => {
    receiver = await startReceiver(await ownPort());
    const one = await listen('--json');
    await receiver.close();

    await events(1);
    await eventually(() => one.err().includes('Nothing answers at http'), patientWith(one));

    expect(one.lines().map((line) => JSON.parse(line))).toHaveLength(1);
  });

  it('records a refusal as failed and names the command that sends it again', async () => {
    receiver = await startReceiver();
    receiver.answer = () => ({ status: 500, body: 'no' });
    const one = await listen();

    const [id = ''] = await events(1);
    await said(one, '500 Internal Server Error');

    expect(answersOf(one)[0]).toMatch(/ {2}wms deliveries resend dlv_\w+$/);
    expect(await deliveries([id])).toMatchObject([{ status: 'failed', code: 500, attempts: 1 }]);
  });

  it('gives two listeners of one address one copy of each event', async () => {
    receiver = await startReceiver();
    // Each has one in flight at a time: the first is answered once the other has begun as well.
    const both = Promise.withResolvers<void>();
    receiver.answer = async () => {
      if (receiver.received.length === 2) both.resolve();
      await both.promise;
      return { status: 200 };
    };
    const two = await Promise.all([listen(), listen()]);

    const ids = await events(40);
    await receiver.waitFor(40, PATIENCE_MS);
    await eventually(() => two.flatMap(answersOf).length === 40, { timeoutMs: PATIENCE_MS });

    expect(idsOf(receiver).toSorted()).toEqual(ids);
    expect(two.map((one) => answersOf(one).length > 0)).toEqual([true, true]);
  });

  it('repeats at most the one in flight when it is killed', async () => {
    receiver = await startReceiver();
    receiver.answer = () => new Promise(() => {});
    const first = await listen();
    const ids = await events(3);
    await receiver.waitFor(1, PATIENCE_MS);
    await first.stop('SIGKILL');

    receiver.answer = () => ({ status: 200 });
    const second = await listen();
    await said(second, ' -> ', 3);

    expect(idsOf(receiver)).toEqual([ids[0], ...ids]);
  });

  it('goes on after its connections to the database were lost', async () => {
    receiver = await startReceiver();
    const owner = new pg.Client({ connectionString: shell.databaseUrl });
    await owner.connect();
    const pids = async (): Promise<number[]> => {
      const { rows } = await owner.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database()',
      );
      return rows.map(({ pid }) => pid);
    };
    const others = await pids();
    const one = await listen();
    const own = (await pids()).filter((pid) => !others.includes(pid));

    await owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [own]);
    const ids = await events(3);
    await said(one, ' -> ', 3);
    await owner.end();

    expect(own.length).toBeGreaterThan(0);
    expect(idsOf(receiver)).toEqual(ids);
  });

  it('finishes the one in flight at Ctrl-C, also when npm and a shell pass it on again', async () => {
    receiver = await startReceiver();
    let release = (): void => {};
    receiver.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ status: 200 });
      });
    const one = await listen();
    const [id = ''] = await events(2);
    await receiver.waitFor(1, PATIENCE_MS);

    const stopped = [one.stop(), one.stop()];
    await setTimeout(300);
    release();

    expect(await Promise.all(stopped)).toEqual([0, 0]);
    expect(await deliveries([id])).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('listens to the events it is told to, and speaks JSON', async () => {
    receiver = await startReceiver();
    const one = await listen('--events', 'contact.created', '--json');

    const created = await shell.wms('trigger', 'contact.created');
    await said(one, 'contact.created', 2);

    const [opening, line] = one.lines().map((text) => JSON.parse(text));
    expect(opening).toMatchObject({
      events: ['contact.created'],
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(line).toMatchObject({
      type: 'contact.created',
      event_id: created.json.event_id,
      status: 'succeeded',
      code: 200,
      error: null,
    });
  });
});
