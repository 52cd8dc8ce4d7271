import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem } from '../db/database.ts';
import { type BatchDeps, processBatch } from './batch.ts';
import type { InboundCounts } from './counts.ts';
import { BATCH, claimWebhooks, deleteOldWebhooks, settleWebhooks } from './queries.ts';

export interface InboundProcessor {
  start(): void;
  /** A webhook was stored: look now. Losing it costs a poll interval. `reports` alone may be gathered first. */
  wake(news?: 'inbound' | 'reports'): void;
  /** Resolves when the batch under way is settled. */
  stop(): Promise<void>;
}

export interface ProcessorOptions extends BatchDeps {
  /** Milliseconds between looks when nobody wakes; 500 when left out. */
  readonly pollMs?: number;
}

/** Between looks: webhooks that come close together are cheaper to process together. */
const GATHER_MS = 60;
/** Nobody waits for reports alone: a campaign's come all the time, and many at once cost a third. */
const GATHER_REPORTS_MS = 200;
const AFTER_FAILURE_MS = 1_000;
const CLEAN_EVERY_MS = 600_000;

/**
 * Takes stored webhooks in order and acts on them. Any number of processes may run one: each claim is
 * locked, and a webhook that is processed twice changes nothing the second time.
 */
export function createInboundProcessor(options: ProcessorOptions): InboundProcessor {
  const { pollMs = 500 } = options;
  const pause = createPause();
  const gathering = createPause();
  let running: Promise<void> | null = null;
  let stopping = false;
  let cleanAt = 0;
  let failing = false;

  /** @returns how long to rest, in milliseconds, unless somebody wakes us. */
  const pass = async (): Promise<number> => {
    if (Date.now() >= cleanAt) cleanAt = await clean(options);
    const began = performance.now();
    let talks = false;
    const counts: InboundCounts = {
      add: (what, by) => {
        talks ||= what === 'messages';
        options.counts.add(what, by);
      },
    };
    const found = await processDue({ ...options, counts });
    // Whoever writes waits for an answer: what taking their messages took counts.
    const gatheredMs = talks ? performance.now() - began : 0;
    if (found < BATCH) await sleep(Math.max(0, GATHER_MS - gatheredMs));
    if (found > 0 && found < BATCH && !talks && !stopping)
      await gathering.wait(GATHER_REPORTS_MS - GATHER_MS);
    return found > 0 ? 0 : pollMs;
  };
  const recovered = (restMs: number): number => {
    failing = false;
    return restMs;
  };
  const failed = (err: unknown): number => {
    // An outage is one line, not one each second.
    if (!failing) options.log.warn({ err }, 'webhooks of WhatsApp wait');
    failing = true;
    return AFTER_FAILURE_MS;
  };
  const run = async (): Promise<void> => {
    while (!stopping) {
      const restMs = await pass().then(recovered, failed);
      if (restMs > 0 && !stopping) await pause.wait(restMs);
    }
  };

  return {
    start: () => {
      running ??= run();
    },
    wake: (news = 'inbound') => {
      pause.end();
      if (news === 'inbound') gathering.end();
    },
    stop: async () => {
      stopping = true;
      pause.end();
      gathering.end();
      await running;
    },
  };
}

/**
 * One batch, in a transaction of the system role that holds the claim while the workspaces' own
 * transactions do the work. @returns how many webhooks were claimed.
 */
export const processDue = (deps: BatchDeps): Promise<number> =>
  asSystem(deps.database, async (sql) => {
    const webhooks = await claimWebhooks(sql);
    if (webhooks.length === 0) return 0;
    await settleWebhooks(sql, await processBatch(deps, sql, webhooks));
    return webhooks.length;
  });

async function clean({ database }: BatchDeps): Promise<number> {
  const deleted = await deleteOldWebhooks(database.system);
  return deleted > 0 ? 0 : Date.now() + CLEAN_EVERY_MS;
}

/** A wait that can be ended early; an end that comes before the wait is not lost. */
function createPause(): { wait(ms: number): Promise<void>; end(): void } {
  let ended = false;
  let resume: (() => void) | null = null;
  return {
    wait: async (ms) => {
      if (!ended) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      resume = null;
      ended = false;
    },
    end: () => {
      ended = true;
      resume?.();
    },
  };
}
