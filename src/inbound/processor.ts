import { setTimeout as sleep } from 'node:timers/promises';
import { asSystem } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { type BatchDeps, processBatch } from './batch.ts';
import type { InboundCounts } from './counts.ts';
import { BATCH, claimWebhooks, settleWebhooks } from './queries.ts';

export interface InboundProcessor {
  start(): void;
  /**
   * A webhook was stored: look now. A lost call costs one poll interval. With only `reports`, more may be gathered
   * first.
   */
  wake(news?: 'inbound' | 'reports'): void;
  /** Resolves once the current batch is settled. */
  stop(): Promise<void>;
}

interface ProcessorOptions extends BatchDeps {
  /** Milliseconds between looks without a call to `wake`. */
  readonly pollMs: number;
}

/** Between looks, because webhooks that arrive close together are cheaper to process together. */
const GATHER_MS = 60;
/** No one waits for reports alone: a campaign's arrive continuously, and together they cost a third. */
const GATHER_REPORTS_MS = 200;
const AFTER_FAILURE_MS = 1_000;
/** Well within the time after which the server ends a transaction that does nothing. */
const SIGN_OF_LIFE_MS = 5_000;

/**
 * Takes stored webhooks in order and acts on them. Any number of processes may run one: each claim is locked, and
 * processing a webhook twice changes nothing the second time.
 */
export function createInboundProcessor(options: ProcessorOptions): InboundProcessor {
  const pause = createPause();
  const gathering = createPause();
  let running: Promise<void> | null = null;
  let stopping = false;
  let failing = false;

  /**
   * @returns how long to rest, in milliseconds, unless woken earlier
   */
  const pass = async (): Promise<number> => {
    const began = performance.now();
    let talks = false;
    const counts: InboundCounts = {
      add: (what, by) => {
        talks ||= what === 'messages';
        options.counts.add(what, by);
      },
    };
    const found = await processDue({ ...options, counts });
    // People wait for an answer, so the time their messages took is subtracted.
    const gatheredMs = talks ? performance.now() - began : 0;
    if (found < BATCH) await sleep(Math.max(0, GATHER_MS - gatheredMs));
    if (found > 0 && found < BATCH && !talks && !stopping)
      await gathering.wait(GATHER_REPORTS_MS - GATHER_MS);
    return found > 0 ? 0 : options.pollMs;
  };
  const recovered = (restMs: number): number => {
    failing = false;
    return restMs;
  };
  const failed = (err: unknown): number => {
    // An outage is logged once, not every second.
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
 * One batch, in a transaction of the system role that holds the claim while the workspaces' own transactions do the
 * work.
 *
 * @returns how many webhooks were claimed
 */
export const processDue = (deps: BatchDeps): Promise<number> =>
  asSystem(deps.database, async (sql) => {
    const webhooks = await claimWebhooks(sql);
    if (webhooks.length === 0) return 0;
    await settleWebhooks(sql, await showingLife(sql, processBatch(deps, sql, webhooks)));
    return webhooks.length;
  });

/** The server would take a claim whose batch is long for one whose process hangs, and end it. */
async function showingLife<T>(sql: Sql, work: Promise<T>): Promise<T> {
  const signs = setInterval(() => void sql.rows('select 1').catch(() => {}), SIGN_OF_LIFE_MS);
  try {
    return await work;
  } finally {
    clearInterval(signs);
  }
}

/** A wait that can be ended early; ending it before it begins also counts. */
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
