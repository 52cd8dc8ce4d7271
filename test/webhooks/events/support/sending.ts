import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { SendingDeps } from '../../../../src/campaigns/batches/deps.ts';
import { queueMessage } from '../../../../src/conversations/sending/outgoing.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { transact } from '../../../../src/db/transact.ts';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../../../src/gateway/cloud-api/gateway.ts';
import { type Simulator, startSimulator } from '../../../../src/simulator/simulator.ts';
import { aContact } from '../../../support/factories/contacts.ts';
import { aConversation } from '../../../support/factories/conversations.ts';
import { testKeyring } from '../../../support/factories/numbers.ts';
import { anEndpoint } from '../../../support/factories/webhooks.ts';
import { setFaults } from '../../../support/faults.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../../support/relay.ts';
import { eventually } from '../../../support/waiting.ts';
import { eventScene, type Shop } from './scene.ts';

interface Out {
  simulator: Simulator;
  receiver: Receiver;
  relay?: RunningRelay;
  gateway: CloudApiGateway;
}

type Queued = Parameters<typeof queueMessage>[1];

/** The scene with WhatsApp's twin behind it, which keeps its webhooks to itself, and a customer's server. */
export function sendingScene({ relay = true } = {}) {
  const out = {} as Out;

  // Before the scene's own: what still works on its database ends first.
  afterAll(async () => {
    await out.relay?.stop();
    await out.gateway.close();
    await out.receiver.close();
    await out.simulator.stop();
  });
  const base = eventScene();

  beforeAll(async () => {
    out.simulator = await startSimulator({
      port: 0,
      callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
      appSecret: 'a secret of the tests',
    });
    out.receiver = await startReceiver();
    out.gateway = createCloudApiGateway({ baseUrl: out.simulator.url, version: 'v23.0' });
    if (relay) await startRelay();
  });
  beforeEach(() => faults({}));

  async function startRelay(): Promise<void> {
    out.relay = await runRelay({
      url: base.scene.files.url,
      database: base.scene.database,
      trustedOrigins: [out.receiver.origin],
      whatsAppUrl: out.simulator.url,
    });
  }

  function faults(wanted: object): Promise<void> {
    return setFaults(out.simulator, { status_webhooks: false, ...wanted });
  }

  /** A shop whose customer's server hears what is sent. */
  async function aHeardShop(): Promise<Shop> {
    const shop = await base.aShop();
    await anEndpoint(shop.ctx, `${out.receiver.origin}/${shop.ctx.organizationId}`);
    return shop;
  }

  async function aTalk(shop: Shop, wishes: { name?: string; phone?: string } = {}): Promise<Talk> {
    const { id: contactId, name, phone } = await aContact(shop.ctx, wishes);
    const pair = { numberId: shop.numberId, contactId };
    const conversationId = await aConversation(shop.ctx, pair);
    return { contactId, name, phone: phone ?? '', conversationId };
  }

  const say = (shop: Shop, message: Pick<Queued, 'conversationId'> & Partial<Queued>) =>
    transact(shop.ctx, (tx) => queueMessage(tx, { source: 'api', text: 'Olá!', ...message }));

  const becomes = (shop: Shop, messageId: string, status: string): Promise<void> =>
    eventually(async () => {
      const [row] = await shop.rows<{ status: string }>(
        'select status from messages where id = $1',
        [messageId],
      );
      return row?.status === status;
    });

  /** What a campaign's batches need. */
  const campaignDeps = (): SendingDeps => {
    const { database } = base.scene;
    const clock = { now: () => new Date(), skewMs: 0 };
    const wake = (): void => {};
    return {
      database,
      clock,
      wake,
      gateway: out.gateway,
      keyring: testKeyring,
      contextFor: (organizationId, actor) =>
        createContext({ database, wake }, { organizationId, actor, now: clock.now() }),
    };
  };

  return { ...base, out, startRelay, faults, aHeardShop, aTalk, say, becomes, campaignDeps };
}

/** A person and the conversation with them. */
export interface Talk {
  readonly contactId: string;
  readonly conversationId: string;
  readonly name: string;
  readonly phone: string;
}

/** The whole data of the event of a message that was sent in this conversation. */
export const told = (
  { numberId }: Shop,
  { contactId, conversationId, name, phone }: Talk,
  id: string,
  text: string,
  source: string,
) => ({
  message: { id, text, type: 'text' },
  contact: { name, phone },
  number: { id: numberId },
  contact_id: contactId,
  conversation_id: conversationId,
  number_id: numberId,
  source,
});
