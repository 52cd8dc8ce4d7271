import { Webhook } from 'standardwebhooks';
import { judge } from '../../../src/docs/verifying/judging.ts';
import type { Pasted } from '../../../src/docs/verifying/pasted.ts';
import type { Verdict } from '../../../src/docs/verifying/verdict.ts';
import { eventFact } from '../../../src/outbox/record.ts';
import {
  decodeSecret,
  newSecret,
  signatureHeaders,
} from '../../../src/webhooks/signing/signature.ts';

export const NOW = 1_763_640_000;
export const secret = newSecret();

const fact = eventFact(
  'org_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
  'message.received',
  {
    message: { id: 'msg_1', text: 'Olá, 1/2 família 👋' },
    contact: { name: 'Ana', phone: '+5511987654321' },
    number: { id: 'num_1' },
    contact_id: 'con_1',
    conversation_id: 'cnv_1',
    number_id: 'num_1',
  },
  new Date(NOW * 1_000),
);
const { id } = fact;
export const body = fact.payload;
export const event = JSON.parse(body) as Record<string, unknown>;

interface Signing {
  readonly secrets?: readonly string[];
  readonly timestamp?: number;
  readonly sent?: string;
}

/** The headers as the service's own sender makes them. */
export const signed = ({ secrets = [secret], timestamp = NOW, sent = body }: Signing = {}) =>
  signatureHeaders({ id, timestamp, body: sent }, secrets.map(decodeSecret));

export const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

export const paste = (changes: Partial<Pasted> = {}, signing: Signing = {}): Promise<Verdict> =>
  judge({ secret, headers: linesOf(signed(signing)), body, computed: '', ...changes }, NOW);

export const ofLibrary = (key: string | Uint8Array, sent = body): string =>
  (typeof key === 'string' ? new Webhook(key) : new Webhook(key, { format: 'raw' })).sign(
    id,
    new Date(NOW * 1_000),
    sent,
  );
