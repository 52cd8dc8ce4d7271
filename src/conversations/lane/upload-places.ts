/** A message that waits for its file to be uploaded. */
interface Waiting {
  readonly organizationId: string;
  readonly numberId: string;
  readonly messageId: string;
  /** A person of the team waits with it. */
  readonly isReply: boolean;
}

/** Uploads take up to minutes: they have places of their own, so that they keep no other message waiting. */
export interface UploadPlaces {
  /** How many there are, of all numbers or of one. */
  taken(numberId?: string): number;
  /** @returns 0 if it has a place now, otherwise the milliseconds after which to ask again */
  take(message: Waiting): number;
  leave(messageId: string): void;
}

const MOST = 32;
/** Neither a number nor a workspace with several takes everyone's. */
const MOST_OF = { numberId: 8, organizationId: 16 } as const;

const REST_MS = 1_000;
/** Of a number's messages that found no place: however many they are, they come back one by one. */
const BETWEEN_MS = 25;

export function createUploadPlaces(): UploadPlaces {
  const inside = new Map<string, Waiting>();
  const returns = new Map<string, number>();

  const of = (by: keyof typeof MOST_OF, id: string): number =>
    [...inside.values()].filter((each) => each[by] === id).length;

  function restOf({ numberId, isReply }: Waiting): number {
    if (isReply) return REST_MS;
    const now = performance.now();
    for (const [id, at] of returns) if (at <= now) returns.delete(id);
    const at = Math.max(now + REST_MS, (returns.get(numberId) ?? 0) + BETWEEN_MS);
    returns.set(numberId, at);
    return at - now;
  }

  return {
    taken: (numberId) => (numberId === undefined ? inside.size : of('numberId', numberId)),
    take: (message) => {
      const isFull =
        inside.size >= MOST ||
        of('numberId', message.numberId) >= MOST_OF.numberId ||
        of('organizationId', message.organizationId) >= MOST_OF.organizationId;
      if (isFull) return restOf(message);
      inside.set(message.messageId, message);
      return 0;
    },
    leave: (messageId) => void inside.delete(messageId),
  };
}
