import type { Context } from '../../../src/context.ts';
import { type Database, inWorkspace } from '../../../src/db/database.ts';
import type { WebhookEventType } from '../../../src/outbox/events.ts';
import { eventFact, insertFacts } from '../../../src/outbox/record.ts';
import { createEndpoint } from '../../../src/webhooks/service.ts';
import { testKeyring } from './numbers.ts';

/** An endpoint at any address on loopback. */
export const anEndpoint = (
  ctx: Context,
  url: string,
  events: WebhookEventType[] = ['message.sent'],
): Promise<{ id: string; secret: string }> =>
  createEndpoint(
    ctx,
    { name: 'Pedidos', url, events },
    { keyring: testKeyring, trustedOrigins: [new URL(url).origin] },
  );

/** Commits `message.sent` events and answers their ids, in order. */
export async function sentEvents(
  database: Pick<Database, 'app'>,
  organizationId: string,
  count = 1,
): Promise<string[]> {
  const facts = Array.from({ length: count }, (_, n) =>
    eventFact(
      organizationId,
      'message.sent',
      {
        message: { id: `msg_${n}`, text: `Oi, pessoa ${n}` },
        contact: { name: 'Ana', phone: '+5511987654321' },
        number: { id: 'num_1' },
        source: 'campaign',
        contact_id: 'con_1',
        conversation_id: 'cnv_1',
        number_id: 'num_1',
      },
      new Date(),
    ),
  );
  await inWorkspace(database, organizationId, (sql) => insertFacts(sql, organizationId, facts));
  return facts.map((fact) => fact.id);
}
