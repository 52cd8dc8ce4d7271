import type { Context } from '../../../src/context.ts';
import { createCloudApiGateway } from '../../../src/gateway/cloud-api/gateway.ts';
import { addConfirmed, connectConfirmed } from '../../../src/numbers/confirming.ts';
import type { Connection } from '../../../src/numbers/connecting.ts';
import type { WhatsAppNumber } from '../../../src/numbers/entities.ts';
import type { NewNumber } from '../../../src/numbers/service.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { rowsOf } from '../../support/rows-of.ts';

/** A workspace whose numbers WhatsApp confirms: the simulator, or the one at `url`. */
export interface ConfirmedNumbers {
  readonly ctx: Context;
  readonly database: OwnDatabase;
  add(wishes: Partial<NewNumber>, url?: string): Promise<WhatsAppNumber>;
  connect(id: string, connection: Connection, url?: string): Promise<WhatsAppNumber>;
  /** What is stored of them. */
  numbers(): Promise<unknown[]>;
  close(): Promise<void>;
}

const STORED = 'select id, status, phone_number_id, business_account_id, access_token from numbers';

export async function openConfirmedNumbers(): Promise<ConfirmedNumbers> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  return {
    ctx,
    database,
    add: (wishes, url = simulator.url) => {
      const { phone = '+5511987654321' } = wishes;
      const given = { name: 'Vendas', provider: 'cloud_api', accessToken: 'EAAG', phone } as const;
      return asking(url, (parts) => addConfirmed(ctx, { ...given, ...wishes }, parts));
    },
    connect: (id, connection, url = simulator.url) =>
      asking(url, (parts) => connectConfirmed(ctx, id, connection, parts)),
    numbers: () => rowsOf(ctx, STORED),
    close: async () => {
      await simulator.stop();
      await database.close();
    },
  };
}

/** What asking this WhatsApp leads to. */
async function asking<T>(
  baseUrl: string,
  work: (parts: Parameters<typeof addConfirmed>[2]) => Promise<T>,
): Promise<T> {
  const gateway = createCloudApiGateway({ baseUrl, version: 'v23.0' });
  try {
    return await work({ keyring: testKeyring, whatsapp: () => gateway });
  } finally {
    await gateway.close();
  }
}
