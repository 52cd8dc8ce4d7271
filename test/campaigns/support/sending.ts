import type { SendingDeps } from '../../../src/campaigns/batches/deps.ts';
import { importContacts } from '../../../src/contacts/imports/rows.ts';
import type { Context } from '../../../src/context.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../../src/db/database.ts';
import { first, type Sql } from '../../../src/db/sql.ts';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../../src/gateway/cloud-api/gateway.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { openPatiently, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { setFaults } from '../../support/faults.ts';

export interface SendingTest {
  /** The owner's address. */
  readonly url: string;
  readonly database: Database;
  readonly simulator: Simulator;
  readonly deps: SendingDeps;
  /** The same, with another way out. */
  through(gateway: Gateway): SendingDeps;
  faults(body: object): Promise<void>;
  /** In the workspace of the campaign that was made. */
  sqlOf<T>(made: Placed, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The `n` of the row that the query gives there. */
  countOf(made: Placed, text: string): Promise<number>;
  close(): Promise<void>;
}

interface Placed {
  readonly ref: { readonly organizationId: string };
}

const aSimulator = (): Promise<Simulator> =>
  startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });

/**
 * A database of its own, the simulator holding its webhooks back, and the real adapter between them.
 *
 * @param given what another one has made already, and closes.
 */
export async function openSendingTest(
  given: { readonly store?: TestDatabase; readonly simulator?: Simulator } = {},
): Promise<SendingTest> {
  const store = given.store ?? (await openTestDatabase());
  const database = await openPatiently({ url: store.url, poolSize: 6 });
  const simulator = given.simulator ?? (await aSimulator());
  const faults = (wanted: object): Promise<void> =>
    setFaults(simulator, { status_webhooks: false, ...wanted });
  await faults({});
  const gateway: CloudApiGateway = createCloudApiGateway({
    baseUrl: simulator.url,
    version: 'v23.0',
    // A machine that stands still for a moment is no WhatsApp that does not answer.
    deadlineMs: 60_000,
  });
  const clock = { now: () => new Date(), skewMs: 0 };
  const wake = (): void => {};
  const deps: SendingDeps = {
    database,
    clock,
    gateway,
    wake,
    keyring: testKeyring,
    contextFor: (organizationId, actor) =>
      createContext({ database, wake }, { organizationId, actor, now: clock.now() }),
  };
  const sqlOf: SendingTest['sqlOf'] = (made, work) =>
    inWorkspace(database, made.ref.organizationId, work);
  return {
    url: store.url,
    database,
    simulator,
    deps,
    through: (other) => ({ ...deps, gateway: other }),
    faults,
    sqlOf,
    countOf: async (made, text) =>
      (await sqlOf(made, (sql) => first<{ n: number }>(sql, text)))?.n ?? -1,
    close: async () => {
      await gateway.close();
      if (!given.simulator) await simulator.stop();
      await database.close();
      if (!given.store) await store.close();
    },
  };
}

/** Never stops a batch. */
export const untilDone = { stopped: new AbortController().signal };

/** Contacts with these phones, in this order. */
export async function contactsWith(ctx: Context, phones: readonly string[]): Promise<string[]> {
  const rows = await importContacts(
    ctx,
    phones.map((phone, index) => ({ name: `Cliente ${index + 1}`, phone })),
  );
  return rows.map(({ contactId, problems }) => {
    if (contactId === null) throw new TypeError(JSON.stringify(problems));
    return contactId;
  });
}

/** So many ordinary phones: the simulator delivers to all of them. */
export const ordinaryPhones = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `+5511982${String(index + 1).padStart(6, '0')}`);
