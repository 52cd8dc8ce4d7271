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

/** What an operator watches of the relay; read when somebody asks. */
export function relayGauges(registry: Registry, relay: () => Relay | null): void {
  const gauge = (
    name: string,
    help: string,
    read: (figures: ReturnType<Relay['figures']>) => number,
  ): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const figures = relay()?.figures();
        if (figures) this.set(read(figures));
      },
    });
  };
  gauge('wms_facts_waiting', 'Facts in the queue.', (figures) => figures.factsWaiting);
  gauge(
    'wms_facts_dead',
    'Facts set aside because they cannot be understood.',
    (figures) => figures.factsDead,
  );
  gauge(
    'wms_facts_oldest_seconds',
    'Age of the oldest fact that waits.',
    (figures) => figures.oldestFactSeconds,
  );
  gauge(
    'wms_commands_failed_total',
    'Commands that Temporal did not take at the first try.',
    (figures) => figures.commandsFailed,
  );
  gauge(
    'wms_webhook_waiting',
    'First attempts that wait in this process.',
    (figures) => figures.waiting,
  );
  gauge(
    'wms_webhook_in_flight',
    'First attempts in flight in this process.',
    (figures) => figures.inFlight,
  );
  new Gauge({
    name: 'wms_webhook_first_attempts_total',
    help: 'First attempts of this process by the status they led to.',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      const counts = relay()?.figures().firstAttempts ?? {};
      for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
    },
  });
}
