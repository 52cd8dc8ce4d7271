import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { isPublicAddress } from '../../../src/net/addresses.ts';
import type { Resolution } from '../../../src/net/resolver.ts';
import { createSafeSender, type SafeSender } from '../../../src/net/sender.ts';
import { specialAddresses } from '../../net/support/addresses.ts';
import { certificateAuthority } from '../../net/support/certificates.ts';
import { type Listener, startTls } from '../../net/support/servers.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { eventually } from '../../support/waiting.ts';

const authority = certificateAuthority();
const HOST = 'hooks.shop.com';

let database: OwnDatabase;
let canary: Listener;
let sender: SafeSender;
let running: RunningRelay;
/** What each name resolves to now; others have no address. */
let zone: Record<string, Resolution>;
let loopbackIsPublic: boolean;
let answer: string;

const found = (...addresses: string[]): Resolution => ({ kind: 'found', addresses });
const unavailable: Resolution = { kind: 'unavailable', reason: 'ETIMEOUT' };

beforeAll(async () => {
  database = await openOwnDatabase();
  canary = await startTls(authority.issue(HOST), (socket) => socket.write(answer));
});
afterAll(async () => {
  await canary.close();
  await database.close();
});
beforeEach(async () => {
  canary.connections = 0;
  zone = { 'control.net': found('1.1.1.1') };
  loopbackIsPublic = false;
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  sender = createSafeSender({
    trustedOrigins: [],
    resolve: async (name) => zone[name] ?? { kind: 'none' },
    controlNames: ['control.net'],
    isPublic: (address) =>
      (loopbackIsPublic && address === '127.0.0.1') || isPublicAddress(address),
    ca: authority.ca,
    reuseMs: 1,
  });
  const parts = { sender };
  running = await runRelay({ url: database.url, database, trustedOrigins: [], parts });
});
afterEach(async () => {
  await running.stop();
  await sender.close();
});

interface Row {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** An endpoint for each name, each in a workspace of its own, at the canary's port. */
async function endpointsAt(names: readonly string[]) {
  const sql = sqlOver(database.system);
  const workspaces: string[] = [];
  for (const name of names) {
    const { ctx, workspaceId } = await aWorkspace(database);
    await anEndpoint(ctx, `https://${name}:${canary.port}/in`);
    workspaces.push(workspaceId);
  }
  const deliveries = () =>
    sql.rows<Row>(
      'select id, status, attempts, error from webhook_deliveries where organization_id = any($1) order by id',
      [workspaces],
    );
  const send = async () => {
    for (const id of workspaces) await sentEvents(database, id);
    void running.waker.wake('events');
  };
  /** Brings what failed to the lane again, as if its time had come. */
  const again = async () => {
    await sql.rows(
      'update webhook_endpoints set failures_in_row = 0 where organization_id = any($1)',
      [workspaces],
    );
    await sql.rows(
      `update webhook_deliveries set owned_by_workflow = false, in_backlog = false, lease_until = now()
       where organization_id = any($1)`,
      [workspaces],
    );
    void running.waker.wake('events');
  };
  return { deliveries, send, again };
}

describe('a delivery to a name', () => {
  it('that resolves to any special address is blocked at its first attempt, and nobody is connected to', async () => {
    const names = specialAddresses.map((address, n) => {
      zone[`n${n}.shop.com`] = found(address);
      return `n${n}.shop.com`;
    });
    const { deliveries, send } = await endpointsAt(names);

    await send();
    await eventually(async () => {
      const rows = await deliveries();
      return rows.length === names.length && rows.every(({ attempts }) => attempts > 0);
    });

    for (const row of await deliveries()) {
      expect(row).toMatchObject({ status: 'blocked', attempts: 1, error: 'private_address' });
    }
    expect(canary.connections).toBe(0);
  });

  it.each<[string, Resolution, string]>([
    ['that does not exist', { kind: 'none' }, 'dns'],
    ['whose answer is empty', found(), 'dns'],
    ['whose servers fail while ours works', unavailable, 'dns'],
    ['with a private address among public ones', found('8.8.8.8', '127.0.0.1'), 'private_address'],
  ])('%s is blocked at its first attempt, and not retried', async (_which, answer, error) => {
    zone[HOST] = answer;
    const { deliveries, send } = await endpointsAt([HOST]);

    await send();
    await eventually(async () => (await deliveries())[0]?.attempts === 1);

    expect(await deliveries()).toMatchObject([{ status: 'blocked', attempts: 1, error }]);
    expect(canary.connections).toBe(0);
  });

  it('waits, and counts nothing, while our own resolver is down; then it is delivered', async () => {
    zone = { 'control.net': unavailable, [HOST]: unavailable };
    loopbackIsPublic = true;
    const { deliveries, send } = await endpointsAt([HOST]);
    await send();
    await eventually(
      async () => running.relay.figures().inFlight === 0 && (await deliveries()).length === 1,
    );
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0, error: null }]);

    zone = { 'control.net': found('1.1.1.1'), [HOST]: found('127.0.0.1') };
    await eventually(async () => (await deliveries())[0]?.status === 'succeeded');

    expect(await deliveries()).toMatchObject([{ attempts: 1, error: null }]);
  });

  it('that was public for four attempts and is private at the fifth is blocked there', async () => {
    zone[HOST] = found('127.0.0.1');
    loopbackIsPublic = true;
    answer = 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n';
    const { deliveries, send, again } = await endpointsAt([HOST]);
    const attempted = (count: number) =>
      eventually(async () => {
        const [row] = await deliveries();
        return row?.attempts === count && row.status !== 'pending';
      });

    await send();
    await attempted(1);
    for (const count of [2, 3, 4]) {
      await again();
      await attempted(count);
    }
    expect(await deliveries()).toMatchObject([{ status: 'retrying', error: 'status' }]);
    zone[HOST] = found('10.0.0.1');
    const connections = canary.connections;
    await again();
    await attempted(5);

    expect(await deliveries()).toMatchObject([{ status: 'blocked', error: 'private_address' }]);
    expect(canary.connections).toBe(connections);
  });
});
