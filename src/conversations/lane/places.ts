/** Which numbers have how much in flight in this process, and which rest. */
export interface Places {
  readonly inFlight: number;
  /** Numbers of which nothing more is to be taken at the moment. */
  unavailable(): string[];
  occupy(numberId: string, by: number): void;
  rest(numberId: string, forMs: number): void;
}

/** Room for sends in flight, so many of one number at a time; a number that was told to slow down rests. */
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
