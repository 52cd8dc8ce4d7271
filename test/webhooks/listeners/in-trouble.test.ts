import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { secretPlace } from '../../../src/webhooks/signing/keys.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { ownPort } from '../../support/ports.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, type Running, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';
import { asOwner } from '../events/support/refusing.ts';

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
  await receiver.close();
  // The next one has its own address; this one's would go on collecting.
  await rowsOf(shell.ctx, 'update webhook_endpoints set deleted_at = now()');
});
afterAll(async () => {
  await relay.stop();
  await shell.close();
});

/** Begins to listen for the receiver, and waits until it says so. */
async function listen(): Promise<Running> {
  const one = shell.start('listen', '--forward-to', `${receiver.origin}/hooks`);
  running.push(one);
  await said(one, 'Ctrl-C stops');
  return one;
}

const said = (one: Running, text: string, times = 1): Promise<void> =>
  eventually(() => one.lines().filter((line) => line.includes(text)).length >= times, {
    timeoutMs: 60_000,
    instead: () => `${one.lines().join('\n')} ${one.err()}`,
  });
const answersOf = (one: Running): string[] => one.lines().filter((line) => line.includes(' -> '));
const events = (count: number): Promise<string[]> =>
  sentEvents(shell.database, shell.ctx.organizationId, count);
const sent = () => receiver.received.map(({ headers }) => headers['webhook-id']);
const deliveries = (ids: readonly string[]) =>
  rowsOf(
    shell.ctx,
    `select status, attempts, error, lease_token is not null as leased from webhook_deliveries
     where event_id = any($1) order by event_id`,
    [ids],
  );

/** The database takes no such change of a delivery. */
const refuse = (change: string): Promise<void> =>
  asOwner(
    shell.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by the test'; end $$;
     create trigger refused before update on webhook_deliveries for each row
       when (${change}) execute function refuse()`,
  );
/** As if its disk were full. */
const refuseResults = (): Promise<void> => refuse('new.finished_at is not null');
const takeResults = (): Promise<void> => asOwner(shell.databaseUrl, 'drop function refuse cascade');

/** Whatever the listener is signed with from now on. */
const setSecret = async (secretOf: (endpointId: string) => string): Promise<void> => {
  const [row] = await rowsOf<{ id: string }>(
    shell.ctx,
    'select id from webhook_endpoints where deleted_at is null',
  );
  await rowsOf(
    shell.ctx,
    'update webhook_endpoints set secret = $2, secret_version = secret_version + 1 where id = $1',
    [row?.id, secretOf(row?.id ?? '')],
  );
};

const SUCCEEDED = { status: 'succeeded', attempts: 1, error: null, leased: false };

describe('wms listen', () => {
  it('keeps an answer that cannot be written down, and sends nothing else before it is', async () => {
    receiver = await startReceiver();
    const one = await listen();
    await refuseResults();

    const ids = await events(2);
    await said(one, 'The database does not answer; the answer is kept');
    const during = [answersOf(one), sent()];
    await takeResults();
    await said(one, ' -> ', 2);

    expect(during).toEqual([[], ids.slice(0, 1)]);
    expect(sent()).toEqual(ids);
    expect(await deliveries(ids)).toEqual([SUCCEEDED, SUCCEEDED]);
  });

  it('gives such an answer up at Ctrl-C: the event comes once more at the next start', async () => {
    receiver = await startReceiver();
    const one = await listen();
    await refuseResults();

    const ids = await events(1);
    await said(one, 'The database does not answer; the answer is kept');
    const code = await one.stop();
    await takeResults();
    await said(await listen(), ' -> ');

    expect([code, sent()]).toEqual([0, [...ids, ...ids]]);
    expect(await deliveries(ids)).toEqual([SUCCEEDED]);
  });

  it('keeps the order when the database goes away before what nobody took is put back', async () => {
    receiver = await startReceiver(await ownPort());
    const port = Number(new URL(receiver.origin).port);
    const one = await listen();
    await receiver.close();
    const ids = await events(2);
    await said(one, 'Nothing answers');

    await refuse(`new.lease_token is null and new.event_id = '${ids[0]}'`);
    await said(one, 'The database does not answer');
    await takeResults();
    receiver = await startReceiver(port);
    await said(one, ' -> ', 2);

    expect(sent()).toEqual(ids);
  });

  it('takes nothing from another one that is at it', async () => {
    receiver = await startReceiver();
    const both = Promise.withResolvers<{ status: number }>();
    receiver.answer = () => both.promise;
    const first = await listen();
    const ids = await events(2);
    await receiver.waitFor(1);

    const second = await listen();
    await receiver.waitFor(2);
    both.resolve({ status: 200 });
    await Promise.all([first, second].map((one) => said(one, ' -> ')));

    expect(sent()).toEqual(ids);
  });

  it('finishes the one in flight when it is ended by something else than Ctrl-C, too', async () => {
    receiver = await startReceiver();
    const answer = Promise.withResolvers<{ status: number }>();
    receiver.answer = () => answer.promise;
    const one = await listen();
    const ids = await events(1);
    await receiver.waitFor(1);

    const ended = one.stop('SIGTERM');
    answer.resolve({ status: 200 });

    expect(await ended).toBe(0);
    expect(await deliveries(ids)).toEqual([SUCCEEDED]);
  });

  it('ends where a key is missing, and leaves the event as it was', async () => {
    receiver = await startReceiver();
    const one = await listen();
    const other = createKeyring(`other:${Buffer.alloc(32, 9).toString('base64')}`);
    const { organizationId } = shell.ctx;
    await setSecret((endpointId) =>
      other.encrypt('whsec_x', secretPlace({ organizationId, endpointId })),
    );

    const ids = await events(1);
    const code = await one.exited;

    expect([code, one.err()]).toEqual([1, expect.stringContaining(`${ids[0]} could not be sent`)]);
    expect(await deliveries(ids)).toEqual([
      { status: 'held', attempts: 0, error: null, leased: false },
    ]);
    expect(sent()).toEqual([]);
  });

  it('says that nothing was sent where its secret is damaged, and records a failure', async () => {
    receiver = await startReceiver();
    const one = await listen();
    await setSecret(() => 'damaged');

    const ids = await events(1);
    await said(one, ' -> the request could not be made');

    expect(sent()).toEqual([]);
    expect(await deliveries(ids)).toEqual([
      { status: 'failed', attempts: 1, error: 'internal', leased: false },
    ]);
  });
});
