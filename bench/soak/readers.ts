import { setTimeout as sleep } from 'node:timers/promises';
import type { Crew } from '../../test/chaos/random/crew.ts';
import type { Pledge } from '../../test/chaos/random/promises.ts';
import type { ChaosScene } from '../../test/chaos/random/scene.ts';
import type { ChaosStage } from '../../test/chaos/support/stage.ts';

/** Callers that read, whatever is being hurt. */
export interface Readers {
  stop(): Promise<void>;
  /** That no answer was one of ours going wrong. */
  readonly pledge: Pledge;
}

const PAGES = [
  '/contacts?limit=50',
  '/conversations?limit=20',
  '/campaigns?limit=20',
  '/segments?limit=20',
  '/webhooks?limit=20',
];
/** The rate limit of a key, and a database that is away. */
const EXPLAINED = [200, 429, 503];
const NONE = 0;

/** @param pace requests a second, one after the other to each API that is up. */
export function openReaders(
  stage: ChaosStage,
  crew: Crew,
  { apiKeys }: ChaosScene,
  pace: number,
): Readers {
  const answers = new Map<number, number>();
  const odd: string[] = [];
  let stopped = false;

  async function read(n: number): Promise<void> {
    const apis = crew.apis();
    const api = apis[n % Math.max(1, apis.length)];
    if (!api) return;
    const path = PAGES[n % PAGES.length] ?? '';
    const key = apiKeys[n % apiKeys.length] ?? '';
    const reply = await stage.call(api, 'GET', path, { key }).catch(() => null);
    const status = reply?.status ?? NONE;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (reply && !EXPLAINED.includes(status)) odd.push(`GET ${path}: ${status} ${reply.text}`);
  }

  const reading = (async () => {
    for (let n = 0; !stopped; n++) {
      await read(n);
      await sleep(1_000 / pace);
    }
  })();
  reading.catch(() => {});
  return {
    stop: async () => {
      stopped = true;
      await reading;
    },
    pledge: [
      'reads',
      'A read is answered 200, 429 or 503, or not at all by a process that was killed',
      async () => ({
        figures: Object.fromEntries([...answers].map(([status, n]) => [status || 'no answer', n])),
        broken: { odd },
      }),
    ],
  };
}
