import { createKeyring } from '../../../src/crypto/keyring.ts';
import type { WebhookEventType } from '../../../src/outbox/events.ts';
import { createEndpoint } from '../../../src/webhooks/service.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import type { ChaosStage } from '../support/stage.ts';

/** The rate limit is a key's: four callers share the work. */
const API_KEYS = 4;
/** Sends take a while, so that some are in flight at any moment; statuses come twice and in any order. */
const FAULTS = { latency_ms: 300, status_duplicates: 1, status_shuffle: true };
export const EVENTS: WebhookEventType[] = [
  'contact.created',
  'message.sent',
  'message.received',
  'automation.failed',
];

export const HELLO = 'oi';
export const WAITING = 'espera';
export const ASKING = 'pergunta';
export const QUESTION = 'Qual cor?';
export const ANSWER = 'azul';
/** Whose question was lost with a worker is not waited for any longer. */
const ANSWER_WITHIN = 'PT45S';

const end = { id: 'end', type: 'end' };
const say = (id: string, text: string, next: string) => ({ id, type: 'send_message', text, next });
const writes = (keyword: string) => ({
  type: 'message_received',
  match: 'equals',
  keywords: [keyword],
});

/** Three automations: one ends at once, one waits for some seconds, one asks and hears the answer. */
const AUTOMATIONS = [
  {
    name: 'ends at once',
    trigger: writes(HELLO),
    steps: [
      say('hello', 'Oi!', 'tag'),
      { id: 'tag', type: 'add_tag', tag: 'greeted', next: 'end' },
      end,
    ],
  },
  {
    name: 'waits',
    trigger: { type: 'tag_added', tags: [WAITING] },
    steps: [
      say('hello', 'Um momento.', 'moment'),
      { id: 'moment', type: 'wait', duration: 'PT3S', next: 'again' },
      say('again', 'Voltei.', 'end'),
      end,
    ],
  },
  {
    name: 'asks',
    trigger: writes(ASKING),
    steps: [
      {
        id: 'ask',
        type: 'ask',
        text: QUESTION,
        timeout: ANSWER_WITHIN,
        next: 'thanks',
        on_timeout: 'end',
      },
      say('thanks', 'Obrigado!', 'end'),
      end,
    ],
  },
];

export interface ChaosScene {
  readonly apiKeys: readonly string[];
  readonly numberId: string;
  /** WhatsApp's id of the number. */
  readonly phoneNumberId: string;
}

/** Beside what every stage has: callers, an endpoint that falters, one for talk only, and automations. */
export async function setChaosScene(stage: ChaosStage): Promise<ChaosScene> {
  const { ctx, processes, receiver } = stage;
  await processes.simulator.faults(FAULTS);
  const keyring = createKeyring(processes.encryptionKeys);
  const endpoints: [string, WebhookEventType[]][] = [
    ['/faltering', ['contact.created']],
    ['/talk', ['message.sent', 'message.received']],
  ];
  for (const [path, events] of endpoints) {
    const { secret } = await createEndpoint(
      ctx,
      { name: path, url: `${receiver.origin}${path}`, events },
      { keyring, trustedOrigins: [receiver.origin] },
    );
    receiver.trust(secret, path);
  }
  receiver.falter('/faltering', 10);
  for (const automation of AUTOMATIONS) await anActiveAutomation(ctx, automation);
  const keys: string[] = [];
  while (keys.length < API_KEYS) keys.push((await anApiKey(ctx)).key);
  const [number] = await stage.rows<{ id: string; phone_number_id: string }>(
    'select id, phone_number_id from numbers',
  );
  return {
    apiKeys: keys,
    numberId: number?.id ?? '',
    phoneNumberId: number?.phone_number_id ?? '',
  };
}
