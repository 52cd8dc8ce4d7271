import { newId } from '../../src/ids.ts';
import { eventFact, type Fact } from '../../src/outbox/record.ts';

/** A Brazilian mobile that the simulator simply delivers to: its last digits spell no error. */
export const phoneOf = (n: number): string => `+5511${String(987_000_000 + n)}`;

/** The text of every campaign here: what a shop writes, some 100 characters. */
export const TEXT =
  'Olá! A sua encomenda já está pronta para ser retirada na loja do centro, das 9h às 18h. Até já!';

/** One `message.sent`, as a campaign records it. */
export const sentFact = (organizationId: string, n: number): Fact =>
  eventFact(
    organizationId,
    'message.sent',
    {
      message: { id: newId('msg'), text: TEXT },
      contact: { name: `Person ${n}`, phone: phoneOf(n) },
      number: { id: newId('num') },
      source: 'campaign',
      contact_id: newId('con'),
      conversation_id: newId('cnv'),
      number_id: newId('num'),
    },
    new Date(),
  );
