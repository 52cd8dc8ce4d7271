import { setTimeout as sleep } from 'node:timers/promises';
import { type Hear, NEWS, type News, type Wake } from '../../context.ts';
import { createThrottle } from '../throttling.ts';
import { answerTo, createAcknowledgements, LATEST_MS, LISTENING } from './acknowledgements.ts';
import { createNotifier } from './notifier.ts';
import { type PersistentConnection, persistentConnection } from './persistent-connection.ts';

/** Tells relays that there is work, across processes by `NOTIFY`. */
export interface Waker {
  /** Something was committed: the relays of this process look at once, others a moment later. */
  readonly wake: Wake;
  readonly onWake: Hear;
  close(): Promise<void>;
}

export interface WakerOptions {
  readonly url: string;
  /** How long stopping something waits for other processes. */
  readonly latestMs?: number;
}

const CHANNEL = 'wms_facts';
/** Status reports arrive all the time, and are gathered before processing anyway. */
const REPORTS_APART_MS = 100;
/** What is answered only once every process has acted on it. */
export const STOPS = ['endpoints', 'campaigns'] as const;
/** How long an item taken at the very moment of a stop needs until it is seen to be in flight. */
const TAKEN_MS: Readonly<Record<(typeof STOPS)[number], number>> = {
  endpoints: 50,
  campaigns: 100,
};

/**
 * Wakes relays in this process and in others, after the commit. A lost wake costs a poll interval. Stopping something
 * waits until all processes have acted on it.
 */
export function createWaker({ url, latestMs = LATEST_MS }: WakerOptions): Waker {
  const callbacks = new Set<Wake>();
  const notifier = createNotifier(url, CHANNEL);
  const acknowledgements = createAcknowledgements(latestMs);
  const reports = createThrottle(REPORTS_APART_MS, () => notifier.say('reports'));
  let listener: PersistentConnection | null = null;
  let hasHeard = false;
  let closed = false;

  const callAll = (news: News): (void | Promise<void>)[] =>
    [...callbacks].map((callback) => callback(news));

  /** A question comes along with the news that it is about. */
  function hear(words: readonly string[]): void {
    const others = words.filter((word) => !acknowledgements.heard(word));
    const answers = others.map(answerTo).filter((answer) => answer !== null);
    // Any role of the database may notify, and a later release has words of its own.
    const news = NEWS.filter((each) => others.includes(each));
    const acted = Promise.allSettled(news.flatMap(callAll));
    for (const answer of answers) void acted.then(() => notifier.say(answer));
  }

  const listen = (): PersistentConnection =>
    persistentConnection({
      url,
      prepare: async (client) => {
        await client.query(`listen ${CHANNEL}`);
        await client.query(LISTENING);
        // Nobody waited for this process while it could not hear.
        if (hasHeard) void Promise.allSettled(STOPS.flatMap(callAll));
        hasHeard = true;
      },
      onNotification: ({ processId, payload }) => {
        // Our own notification comes back as well, long after the relays of this process have looked.
        if (processId === notifier.processId) return;
        hear((payload ?? '').split(','));
      },
    });

  /** Waits until all other processes have acted on it; if the database is down, their sweeps will. */
  async function askOthers(news: News): Promise<void> {
    if (closed) return;
    listener ??= listen();
    const [{ client }] = await Promise.all([notifier.line(), listener.ready]);
    const { processId } = listener;
    if (!client || processId === null) return;
    await acknowledgements
      .ask({ client, channel: CHANNEL, listenerId: processId }, news)
      .catch(() => {});
  }

  return {
    async wake(news) {
      const here = callAll(news);
      if (news === 'endpoints' || news === 'campaigns')
        await Promise.all([...here, askOthers(news), sleep(TAKEN_MS[news])]);
      else if (news === 'reports') reports.ask();
      else notifier.say(news);
    },
    onWake(callback) {
      callbacks.add(callback);
      listener ??= listen();
      return () => callbacks.delete(callback);
    },
    async close() {
      closed = true;
      reports.stop();
      await Promise.all([notifier.close(), listener?.close()]);
    },
  };
}
