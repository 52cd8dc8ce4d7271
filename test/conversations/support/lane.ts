import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { openConversation } from '../../../src/conversations/sending/opening.ts';
import { type OutgoingMessage, queueMessage } from '../../../src/conversations/sending/outgoing.ts';
import type { Database } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { openPatiently, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { setFaults } from '../../support/faults.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { eventually } from '../../support/waiting.ts';

/** What one test file of the lane plays on: a database, the simulator, and relays that end after each test. */
interface Scene {
  files: TestDatabase;
  database: Database;
  simulator: Simulator;
  ctx: Context;
}

interface Kept {
  readonly status: string;
  readonly provider_id: string | null;
  readonly error: { reason: string; provider_code: number | null } | null;
}

export function laneScene() {
  const scene = {} as Scene;
  const running: RunningRelay[] = [];

  beforeAll(async () => {
    scene.files = await openTestDatabase();
    scene.database = await openPatiently({ url: scene.files.url });
    scene.simulator = await startSimulator({
      port: 0,
      callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
      appSecret: 'a secret of the tests',
    });
    ({ ctx: scene.ctx } = await aWorkspace(scene.database));
  });
  beforeEach(() => faults({}));
  afterEach(async () => {
    await Promise.all(running.splice(0).map((relay) => relay.stop()));
    // What a failed test did not send would leave with the relay of the next one.
    await rows('delete from outgoing_messages');
  });
  afterAll(async () => {
    await scene.simulator.stop();
    await scene.database.close();
    await scene.files.close();
  });

  function faults(wanted: object): Promise<void> {
    return setFaults(scene.simulator, { status_webhooks: false, ...wanted });
  }

  /** @param whatsAppUrl the simulator's by default */
  async function aRelay(
    whatsAppUrl = scene.simulator.url,
    database = scene.database,
  ): Promise<RunningRelay> {
    const relay = await runRelay({
      url: scene.files.url,
      database,
      trustedOrigins: [],
      whatsAppUrl,
    });
    running.push(relay);
    return relay;
  }

  async function aTalk(wishes: { phone?: string; number?: Parameters<typeof aNumber>[1] } = {}) {
    const numberId = (await aNumber(scene.ctx, wishes.number)).id;
    const contact = await aContact(scene.ctx, wishes.phone ? { phone: wishes.phone } : {});
    const pair = { numberId, contactId: contact.id };
    const conversationId = await transact(scene.ctx, (tx) => openConversation(tx, pair));
    return { numberId, contactId: contact.id, conversationId };
  }

  const say = (conversationId: string, message: Partial<OutgoingMessage> = {}): Promise<string> =>
    transact(scene.ctx, (tx) =>
      queueMessage(tx, { conversationId, source: 'api', text: 'Olá!', ...message }),
    );

  const rows = <R>(sql: string, params: unknown[] = []) => rowsOf<R>(scene.ctx, sql, params);

  const kept = async (id: string): Promise<Kept | undefined> =>
    (await rows<Kept>('select status, provider_id, error from messages where id = $1', [id]))[0];

  const becomes = (id: string, status: string): Promise<void> =>
    eventually(async () => (await kept(id))?.status === status);

  const ledgerOf = (id: string) => scene.simulator.ledger().filter(({ key }) => key === id);

  return { scene, faults, aRelay, aTalk, say, rows, kept, becomes, ledgerOf };
}
