export interface Timetable<T> {
  add(dueAt: number, item: T): void;
  clear(): void;
}

/**
 * Hands over items when they fall due, everything due in the same tick at once and in the order of
 * ticks. One timer for all: thousands of pending statuses must not be thousands of timers.
 *
 * @param everyMs length of a tick; an item is at most this much late.
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
