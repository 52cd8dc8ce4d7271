import type { SendResult } from '../../gateway/port.ts';
import type { Claimed } from './claims.ts';

/** Sends in flight at once, and how many more may be claimed so that none of these places stays empty. */
const IN_FLIGHT = 64;
const AHEAD = 32;
/**
 * A row that has waited longer is not sent: the send could outlast its claim, and a process that was suspended would
 * send to someone already reported as `unconfirmed`.
 */
const LATEST_START_MS = 4_000;
/** The fewest rows worth a claim's transaction. */
const WORTH_CLAIMING = 28;

export interface SendingWindow {
  /** Claimed rows; each goes out at its time (`performance.now()`) once there is a place. */
  offer(rows: readonly Claimed[], claimedAt: number, timeOf: (index: number) => number): void;
  /** Resolves with the number of rows to claim next, once that is worthwhile. */
  room(): Promise<number>;
  /** Takes back rows that have not gone out: certainly not sent. */
  recall(): Claimed[];
  /** Nothing goes out until `go`. */
  hold(): void;
  go(): void;
  /** Resolves once everything offered has been answered. */
  idle(): Promise<void>;
}

/** A rolling window of sends: each answer makes room for the next one, independent of the others. */
export function createWindow(
  send: (row: Claimed) => Promise<SendResult>,
  answered: (row: Claimed, result: SendResult) => void,
  tooLate: (row: Claimed) => void,
): SendingWindow {
  let queue: { row: Claimed; claimedAt: number; at: number }[] = [];
  let inFlight = 0;
  let held = false;
  let timer: NodeJS.Timeout | undefined;
  let waiting: { ready: () => boolean; resolve: () => void }[] = [];

  const roomNow = (): number => IN_FLIGHT + AHEAD - inFlight - queue.length;

  const until = (ready: () => boolean): Promise<void> =>
    ready() ? Promise.resolve() : new Promise((resolve) => waiting.push({ ready, resolve }));

  const tellWaiting = (): void => {
    if (waiting.length === 0) return;
    const told = waiting.filter(({ ready }) => ready());
    waiting = waiting.filter((each) => !told.includes(each));
    for (const { resolve } of told) resolve();
  };

  const launch = (row: Claimed): void => {
    inFlight += 1;
    void send(row).then((result) => {
      inFlight -= 1;
      answered(row, result);
      pump();
    });
  };

  const pump = (): void => {
    clearTimeout(timer);
    const now = performance.now();
    let next = held ? undefined : queue[0];
    while (next && inFlight < IN_FLIGHT && next.at <= now) {
      queue.shift();
      if (now - next.claimedAt > LATEST_START_MS) tooLate(next.row);
      else launch(next.row);
      next = queue[0];
    }
    if (next && inFlight < IN_FLIGHT) timer = setTimeout(pump, Math.max(1, next.at - now));
    tellWaiting();
  };

  return {
    offer: (rows, claimedAt, timeOf) => {
      queue.push(...rows.map((row, index) => ({ row, claimedAt, at: timeOf(index) })));
      pump();
    },
    room: async () => {
      await until(() => roomNow() >= WORTH_CLAIMING);
      return Math.min(IN_FLIGHT, roomNow());
    },
    recall: () => {
      const unsent = queue.map(({ row }) => row);
      queue = [];
      pump();
      return unsent;
    },
    hold: () => {
      held = true;
    },
    go: () => {
      held = false;
      pump();
    },
    idle: () => until(() => inFlight === 0 && queue.length === 0),
  };
}
