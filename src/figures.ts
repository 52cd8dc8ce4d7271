import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { InboundCount, InboundCounts } from './inbound/counts.ts';
import { passedOver } from './log.ts';
import type { Relay } from './relay/relay.ts';
import { type OnPostponed, POSTPONED } from './webhooks/signing/sender.ts';

const ALERTED = ['given_up', 'refused_signature', 'stored'] as const satisfies InboundCount[];

/** WhatsApp's webhooks by outcome. */
export function inboundCounts(registry: Registry): InboundCounts {
  const counter = new Counter({
    name: 'wms_inbound_total',
    help: "WhatsApp's webhooks, messages and statuses by outcome.",
    labelNames: ['outcome'],
    registers: [registry],
  });
  // From 0 on: the alerts see only what rises, not what begins with its first one.
  for (const outcome of ALERTED) counter.inc({ outcome }, 0);
  return { add: (outcome, by = 1) => counter.inc({ outcome }, by) };
}

/** Attempts of webhooks that are postponed through our own fault, by reason. */
export function postponedCounter(registry: Registry): OnPostponed {
  const counter = new Counter({
    name: 'wms_webhook_postponed_total',
    help: 'Attempts of webhooks postponed because a key or our resolver of names was missing; not counted as attempts.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of POSTPONED) counter.inc({ reason }, 0);
  return (reason) => counter.inc({ reason });
}

/** What is nowhere to be seen but in the log: no activity fails by it for long. */
export function passedOverCounter(registry: Registry): void {
  new Counter({
    name: 'wms_passed_over_total',
    help: 'What the periodic work of this process could not do in one workspace and left for the next time.',
    registers: [registry],
    collect() {
      // The log has already counted; a counter can only be incremented.
      this.reset();
      this.inc(passedOver());
    },
  });
}

/**
 * Whether this process can do its work, asked whenever the metrics are. A series for each of its `roles`: a process
 * that is missing shows none, so an alert looks for one that is ready.
 */
export function readyGauge(
  registry: Registry,
  roles: readonly string[],
  isReady: () => Promise<boolean>,
): void {
  new Gauge({
    name: 'wms_ready',
    help: 'Whether this process can do its work (1) or not (0), as /readyz says, by its role.',
    labelNames: ['role'],
    registers: [registry],
    async collect() {
      const ready = Number(await isReady());
      for (const role of roles) this.set({ role }, ready);
    },
  });
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
  [
    'wms_inbound_oldest_seconds',
    'Age of the oldest webhook of WhatsApp that is not taken in.',
    ({ oldestInboundSeconds }) => oldestInboundSeconds,
  ],
  [
    'wms_automation_triggers_oldest_seconds',
    'Age of the oldest happening that waits for automations to act on it.',
    ({ oldestTriggerSeconds }) => oldestTriggerSeconds,
  ],
  [
    'wms_webhook_oldest_seconds',
    'How late the webhook is that is due and that no process has taken, or the look at a backlog.',
    ({ oldestWebhookSeconds }) => oldestWebhookSeconds,
  ],
];

interface CounterOf {
  readonly name: string;
  readonly help: string;
  /** The label that distinguishes its series; absent if there is only one. */
  readonly label?: string;
  /** The series by the label's value. */
  readonly read: (figures: Figures) => Readonly<Record<string, number>>;
}

/** They start at 0 with each process, unless they say otherwise. */
const COUNTERS: readonly CounterOf[] = [
  {
    name: 'wms_commands_failed_total',
    help: 'Commands that Temporal did not take, counted at each try.',
    read: ({ commandsFailed }) => ({ all: commandsFailed }),
  },
  {
    name: 'wms_webhook_first_attempts_total',
    help: 'First attempts of webhooks, made by this process, by the status they led to.',
    label: 'status',
    read: ({ firstAttempts }) => firstAttempts,
  },
  {
    name: 'wms_messages_total',
    help: 'Messages sent by this process by outcome, except those of campaigns.',
    label: 'outcome',
    read: ({ sends }) => sends,
  },
  {
    name: 'wms_automation_triggers_dropped_total',
    help: 'Triggers of automations that started no run, by the reason; of all workers since ever, and the same in each.',
    label: 'reason',
    read: ({ triggersDropped }) => triggersDropped,
  },
  {
    name: 'wms_automation_loops_total',
    help: 'Runs of automations that the guard against loops ended; of all workers since ever, and the same in each.',
    read: ({ runsLooped }) => ({ all: runsLooped }),
  },
];

/** The relay's metrics for operators, read on request. */
export function relayGauges(registry: Registry, relay: () => Pick<Relay, 'figures'> | null): void {
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
  for (const { name, help, label, read } of COUNTERS)
    new Counter({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      collect() {
        const figures = relay()?.figures();
        if (!figures) return;
        // The relay has already counted; a counter can only be incremented.
        this.reset();
        for (const [value, count] of Object.entries(read(figures)))
          this.inc(label ? { [label]: value } : {}, count);
      },
    });
}
