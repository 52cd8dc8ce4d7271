import { setTimeout as sleep } from 'node:timers/promises';
import type { Hear, News, Wake } from '../context.ts';
import { type Standing, standingConnection } from './standing.ts';

export interface Waker {
  /** Something was committed: the relays of this process look at once, the others a moment later. */
  readonly wake: Wake;
  readonly onWake: Hear;
  close(): Promise<void>;
}

const CHANNEL = 'wms_facts';
/** So many in a row, and on average one in so many milliseconds. */
const AT_ONCE = 4;
const APART_MS = 10;
/** Reports of what became of messages come all the time, and who works them off gathers them anyway. */
const REPORTS_APART_MS = 100;
/** How long others have to hear of what was stopped. */
const HEARD_MS = { endpoints: 50, campaigns: 100 } as const;

/**
 * Wakes relays in this process and in others. NOTIFY runs on a connection of its own, after the commit
 * and at most a hundred times a second: inside the business transaction its lock would make commits
 * queue up. Two commits close to each other are told at once, for what a busy neighbour does must not
 * hold up anybody's. A wake that is lost costs a poll interval.
 */
export function createWaker({ url }: { readonly url: string }): Waker {
  const callbacks = new Set<Wake>();
  let speaker: Standing | null = null;
  let listener: Standing | null = null;
  const pending = new Set<News>();
  let quiet: NodeJS.Timeout | null = null;
  const allowance = createAllowance();
  const reports = createSpacing(REPORTS_APART_MS, () => say('reports'));
  let speaking = false;
  let closed = false;

  const listen = (): Standing =>
    standingConnection({
      url,
      prepare: async (client) => {
        await client.query(`listen ${CHANNEL}`);
      },
      onNotification: ({ processId, payload }) => {
        // Our own comes back as well, when the relays of this process have long looked.
        if (processId === speaker?.processId) return;
        for (const news of (payload ?? '').split(','))
          for (const callback of callbacks) void callback(news as News);
      },
    });

  function notify(): void {
    if (closed || quiet || pending.size === 0 || speaking) return;
    const waitMs = allowance.take();
    if (waitMs > 0) {
      quiet = setTimeout(() => {
        quiet = null;
        notify();
      }, waitMs);
      return;
    }
    const news = [...pending].join();
    pending.clear();
    speaker ??= standingConnection({
      url,
      // A notification is not kept: nothing of it has to reach the disk.
      prepare: async (client) => {
        await client.query('set synchronous_commit = off');
      },
    });
    // Not connected yet or any more: the poll finds what there is.
    const said = speaker.client?.query(`notify ${CHANNEL}, '${news}'`).catch(() => {});
    // One statement at a time: what comes meanwhile goes with the next.
    speaking = true;
    void Promise.resolve(said).then(() => {
      speaking = false;
      notify();
    });
  }

  /** One notification for all that a transaction leaves. */
  function say(news: News): void {
    pending.add(news);
    queueMicrotask(notify);
  }

  return {
    async wake(news) {
      if (news === 'reports') reports.ask();
      else say(news);
      const here = [...callbacks].map((callback) => callback(news));
      if (news !== 'endpoints' && news !== 'campaigns') return;
      // Those of this process are known to have heard; others, and claims under way, are given a moment.
      await Promise.all([...here, sleep(HEARD_MS[news])]);
    },
    onWake(callback) {
      callbacks.add(callback);
      listener ??= listen();
      return () => callbacks.delete(callback);
    },
    async close() {
      closed = true;
      if (quiet) clearTimeout(quiet);
      reports.stop();
      await Promise.all([speaker?.close(), listener?.close()]);
    },
  };
}

/** So many at once, and on average one in so many milliseconds. */
function createAllowance(): {
  /** Takes one when there is one and answers 0; else answers milliseconds until then. */
  take(): number;
} {
  let credit = AT_ONCE;
  let countedAt = performance.now();
  return {
    take: () => {
      const now = performance.now();
      credit = Math.min(AT_ONCE, credit + (now - countedAt) / APART_MS);
      countedAt = now;
      if (credit < 1) return Math.ceil((1 - credit) * APART_MS);
      credit -= 1;
      return 0;
    },
  };
}

/** Works at once when it is asked to, and then no more often than this: what is asked meanwhile comes together. */
function createSpacing(apartMs: number, work: () => void): { ask(): void; stop(): void } {
  let workedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  return {
    ask: () => {
      timer ??= setTimeout(
        () => {
          timer = null;
          workedAt = performance.now();
          work();
        },
        Math.max(0, workedAt + apartMs - performance.now()),
      );
    },
    stop: () => {
      if (timer) clearTimeout(timer);
    },
  };
}
