/** Allows a number at once, and on average one per interval in milliseconds. */
export function createTokenBucket(
  atOnce: number,
  apartMs: number,
): {
  /** Takes one if available and returns 0; otherwise returns the milliseconds until then. */
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

/** Works at once when asked, but no more often than this; requests in between are combined. */
export function createThrottle(apartMs: number, work: () => void): { ask(): void; stop(): void } {
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
