/**
 * The places that one endpoint's retries may take of a process's for activities of all kinds (`src/temporal-worker.ts`). An
 * endpoint that fails now and then may have 200 retries due in the same seconds; if it hangs then, campaigns and other
 * endpoints would wait for its ten seconds.
 */
const AT_ONCE = 16;

/** The attempts that workflows have under way in this process. */
export interface UnderWay {
  /** Whether the endpoint has as many as it may. */
  isFull(endpointId: string): boolean;
  during<T>(endpointId: string, attempt: () => Promise<T>): Promise<T>;
}

export function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  const add = (endpointId: string, by: 1 | -1): void => {
    const count = (counts.get(endpointId) ?? 0) + by;
    if (count > 0) counts.set(endpointId, count);
    else counts.delete(endpointId);
  };
  return {
    isFull: (endpointId) => (counts.get(endpointId) ?? 0) >= AT_ONCE,
    async during(endpointId, attempt) {
      add(endpointId, 1);
      try {
        return await attempt();
      } finally {
        add(endpointId, -1);
      }
    },
  };
}
