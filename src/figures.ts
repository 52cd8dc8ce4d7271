import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { InboundCounts } from './inbound/counts.ts';
import type { Relay } from './relay/relay.ts';

/** WhatsApp's webhooks by what became of them. */
export function inboundCounts(registry: Registry): InboundCounts {
  const counter = new Counter({
    name: 'wms_inbound_total',
    help: "WhatsApp's webhooks, messages and statuses by what became of them.",
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { add: (outcome, by = 1) => counter.inc({ outcome }, by) };
}

type Figures = ReturnType<Relay['figures']>;

const GAUGES: readonly (readonly [
  name: string,
  help: string,
  read: (figures: Figures) => number,
])[] = [
  ['wms_facts_waiting', 'Facts in the queue.', ({ factsWaiting }) => factsWaiting],
  [
    'wms_facts_dead',
    'Facts set aside because they cannot be understood.',
    ({ factsDead }) => factsDead,
  ],
  [
    'wms_facts_oldest_seconds',
    'Age of the oldest fact that waits.',
    ({ oldestFactSeconds }) => oldestFactSeconds,
  ],
  [
    'wms_commands_failed_total',
    'Commands that Temporal did not take at the first try.',
    ({ commandsFailed }) => commandsFailed,
  ],
  [
    'wms_webhook_waiting',
    'Webhooks that wait in this process for an attempt.',
    ({ waiting }) => waiting,
  ],
  [
    'wms_webhook_in_flight',
    'Attempts of webhooks in flight in this process, those of workflows apart.',
    ({ inFlight }) => inFlight,
  ],
  [
    'wms_messages_waiting',
    'Messages that are sent one by one and wait for it.',
    ({ sendsWaiting }) => sendsWaiting,
  ],
  [
    'wms_messages_oldest_seconds',
    'Age of the oldest message that waits to be sent.',
    ({ oldestSendSeconds }) => oldestSendSeconds,
  ],
  [
    'wms_messages_in_flight',
    'Messages in flight to WhatsApp in this process, campaigns apart.',
    ({ sendsInFlight }) => sendsInFlight,
  ],
];

/** What an operator watches of the relay; read when somebody asks. */
export function relayGauges(registry: Registry, relay: () => Relay | null): void {
  for (const [name, help, read] of GAUGES)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const figures = relay()?.figures();
        if (figures) this.set(read(figures));
      },
    });
  const counts = (
    name: string,
    help: string,
    label: string,
    read: (figures: Figures) => Readonly<Record<string, number>>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        const figures = relay()?.figures();
        if (!figures) return;
        for (const [value, count] of Object.entries(read(figures)))
          this.set({ [label]: value }, count);
      },
    });
  counts(
    'wms_webhook_first_attempts_total',
    'Attempts of webhooks of this process by the status they led to, those of workflows apart.',
    'status',
    ({ firstAttempts }) => firstAttempts,
  );
  counts(
    'wms_messages_total',
    'Messages of this process by what became of them, campaigns apart.',
    'outcome',
    ({ sends }) => sends,
  );
}
