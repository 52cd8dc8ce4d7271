import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';

let shell: Shell;
let relay: RunningRelay;
let receiver: Receiver;

beforeAll(async () => {
  shell = await openShell({ NODE_ENV: 'test' });
  const { databaseUrl: url, database } = shell;
  relay = await runRelay({ url, database, trustedOrigins: [] });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await relay.stop();
  await shell.close();
});

const stays =
  (forwarded: number) =>
  ({ status }: { readonly status: string }, place: number): boolean =>
    status === (place < forwarded ? 'succeeded' : 'held');

it('wms listen stops when nobody reads what it says any more, as behind | head', async () => {
  const listener = shell.start('listen', '--forward-to', receiver.origin);
  await eventually(() => listener.lines().length > 0, { timeoutMs: 60_000 });

  listener.leave();
  const sent = await sentEvents(shell.database, shell.ctx.organizationId, 4);

  expect(await listener.exited).toBe(0);
  expect(listener.err()).toBe('');
  // What it had forwarded by then is recorded, and the rest waits for the next start.
  const count = receiver.received.length;
  expect(count).toBeLessThan(sent.length);
  await eventually(async () => {
    const rows = await rowsOf<{ status: string }>(
      shell.ctx,
      'select status from webhook_deliveries order by event_id',
    );
    return rows.length === sent.length && rows.every(stays(count));
  });
});
