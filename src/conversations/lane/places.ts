import { createUploadPlaces, type UploadPlaces } from './upload-places.ts';

/** What each number has in flight in this process, and which numbers are paused. */
export interface Places {
  readonly inFlight: number;
  /** Those in flight that take the lane's places: not the ones that wait for their files. */
  readonly inLane: number;
  readonly uploads: UploadPlaces;
  /** The messages in flight. */
  held(): string[];
  /** Numbers from which nothing more should be taken right now. */
  unavailable(): string[];
  occupy(numberId: string, messageIds: readonly string[]): void;
  /** @returns how many of them were in flight */
  leave(numberId: string, messageIds: readonly string[]): number;
  rest(numberId: string, forMs: number): void;
}

/**
 * Keeps track of sends in flight, with a limit per number beside the uploads, and pauses numbers that were told to slow
 * down.
 */
export function createPlaces(mostOfNumber: number): Places {
  const busy = new Map<string, Set<string>>();
  const resting = new Map<string, number>();
  const uploads = createUploadPlaces();
  const inFlight = (): number => [...busy.values()].reduce((sum, { size }) => sum + size, 0);
  return {
    get inFlight() {
      return inFlight();
    },
    get inLane() {
      return inFlight() - uploads.taken();
    },
    uploads,
    held: () => [...busy.values()].flatMap((ids) => [...ids]),
    unavailable: () => {
      const now = performance.now();
      for (const [numberId, until] of resting) if (until <= now) resting.delete(numberId);
      const full = [...busy].filter(([id, { size }]) => size - uploads.taken(id) >= mostOfNumber);
      return [...full.map(([id]) => id), ...resting.keys()];
    },
    occupy: (numberId, messageIds) => {
      const ids = busy.get(numberId) ?? new Set();
      for (const id of messageIds) ids.add(id);
      busy.set(numberId, ids);
    },
    leave: (numberId, messageIds) => {
      const ids = busy.get(numberId);
      const left = messageIds.filter((id) => ids?.delete(id)).length;
      if (ids?.size === 0) busy.delete(numberId);
      return left;
    },
    rest: (numberId, forMs) => {
      if (forMs > 0) resting.set(numberId, performance.now() + forMs);
    },
  };
}
