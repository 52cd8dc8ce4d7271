import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { onBehalfOf } from '../tracing/spans.ts';

export interface LoopParts {
  readonly name: string;
  readonly everyMs: number | (() => number);
  readonly log: Log;
  /** Returns true if there is more to do at once. */
  readonly work: () => Promise<boolean>;
}

export interface Loop {
  start(): void;
  /** Runs at once, or again if it is running. */
  poke(): void;
  stop(): Promise<void>;
  /** Null, or what is wrong. */
  problem(): string | null;
}

const FIRST_RETRY_MS = 500;
const LATEST_RETRY_MS = 2_000;

/** Does one piece of work at a time, repeatedly; an error slows it down but never ends it. */
export function createLoop({ name, everyMs, log, work }: LoopParts): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let poked = false;
  let stopped = true;
  let failures = 0;
  let problem: string | null = null;

  async function attempt(): Promise<boolean> {
    try {
      // The poke's trace is not that of the work; the rows carry it.
      const more = await onBehalfOf(null, work);
      failures = 0;
      problem = null;
      return more;
    } catch (error) {
      failures += 1;
      problem = `${name}: ${messageOf(error)}`;
      // An outage is logged once, not each time.
      if (failures === 1) log.warn({ err: error }, `${name} failed and is tried again`);
      return false;
    }
  }

  async function turn(): Promise<void> {
    poked = false;
    const more = await attempt();
    running = null;
    if (stopped) return;
    if (failures > 0) schedule(Math.min(LATEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
    else if (more || poked) setImmediate(run);
    else schedule(typeof everyMs === 'number' ? everyMs : everyMs());
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(run, afterMs);
  }

  function run(): void {
    if (stopped || running) return;
    clearTimeout(timer);
    running = turn();
  }

  function poke(): void {
    poked = true;
    if (failures === 0) run();
  }

  return {
    start() {
      stopped = false;
      run();
    },
    poke,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
    problem: () => problem,
  };
}
