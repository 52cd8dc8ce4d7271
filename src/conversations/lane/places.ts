/** How much each number has in flight in this process, and which numbers are paused. */
export interface Places {
  readonly inFlight: number;
  /** Numbers from which nothing more should be taken right now. */
  unavailable(): string[];
  occupy(numberId: string, by: number): void;
  rest(numberId: string, forMs: number): void;
}

/** Keeps count of sends in flight, with a limit per number, and pauses numbers that were told to slow down. */
export function createPlaces(mostOfNumber: number): Places {
  const busy = new Map<string, number>();
  const resting = new Map<string, number>();
  return {
    get inFlight() {
      return [...busy.values()].reduce((sum, count) => sum + count, 0);
    },
    unavailable: () => {
      const now = performance.now();
      for (const [numberId, until] of resting) if (until <= now) resting.delete(numberId);
      const full = [...busy].filter(([, count]) => count >= mostOfNumber).map(([id]) => id);
      return [...full, ...resting.keys()];
    },
    occupy: (numberId, by) => {
      const count = (busy.get(numberId) ?? 0) + by;
      if (count > 0) busy.set(numberId, count);
      else busy.delete(numberId);
    },
    rest: (numberId, forMs) => {
      if (forMs > 0) resting.set(numberId, performance.now() + forMs);
    },
  };
}
