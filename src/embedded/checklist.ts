/** What `npm start` prints while it works: one line a step, with its time. */
export interface Checklist {
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  note(line: string): void;
  /** Aborted when the start should end. */
  readonly stopping: AbortSignal;
}

/**
 * Prints each step of the start on a line, with its time. Once `stopping` is aborted, no further step begins; `step`
 * then rejects with the signal's reason.
 */
export function createChecklist(write: (line: string) => void, stopping: AbortSignal): Checklist {
  return {
    stopping,
    step: async (name, work) => {
      stopping.throwIfAborted();
      const started = performance.now();
      const result = await work();
      write(`  ok  ${name.padEnd(22)} ${Math.round(performance.now() - started)} ms`);
      return result;
    },
    note: (line) => write(`      ${line}`),
  };
}
