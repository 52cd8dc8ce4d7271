export interface Timetable<T> {
  add(dueAt: number, item: T): void;
  clear(): void;
}

/**
 * Delivers items when they fall due; everything due in the same tick comes together, in the order of ticks. A single
 * timer serves all, because thousands of pending statuses must not be thousands of timers.
 *
 * @param everyMs length of a tick; an item is at most this late
 */
export function createTimetable<T>(everyMs: number, due: (items: T[]) => void): Timetable<T> {
  const ticks = new Map<number, T[]>();
  let timer: NodeJS.Timeout | null = null;

  const stop = (): void => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  const tick = (): void => {
    const now = Date.now() / everyMs;
    const reached = [...ticks.keys()].filter((key) => key <= now).sort((a, b) => a - b);
    const items = reached.flatMap((key) => ticks.get(key) ?? []);
    for (const key of reached) ticks.delete(key);
    if (ticks.size === 0) stop();
    if (items.length > 0) due(items);
  };

  return {
    add: (dueAt, item) => {
      const key = Math.ceil(dueAt / everyMs);
      const items = ticks.get(key);
      if (items) items.push(item);
      else ticks.set(key, [item]);
      timer ??= setInterval(tick, everyMs);
    },
    clear: () => {
      ticks.clear();
      stop();
    },
  };
}
