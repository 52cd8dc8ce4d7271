/** So many at once, and on average one in so many milliseconds. */
export function createAllowance(
  atOnce: number,
  apartMs: number,
): {
  /** Takes one when there is one and answers 0; else answers milliseconds until then. */
  take(): number;
} {
  let credit = atOnce;
  let countedAt = performance.now();
  return {
    take: () => {
      const now = performance.now();
      credit = Math.min(atOnce, credit + (now - countedAt) / apartMs);
      countedAt = now;
      if (credit < 1) return Math.ceil((1 - credit) * apartMs);
      credit -= 1;
      return 0;
    },
  };
}

/** Works at once when it is asked to, and then no more often than this: what is asked meanwhile comes together. */
export function createSpacing(apartMs: number, work: () => void): { ask(): void; stop(): void } {
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
