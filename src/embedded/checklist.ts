/** What `npm start` prints while it works: one line a step, with its time. */
export interface Checklist {
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  note(line: string): void;
}

/** Says each step of the start with its time, a line each. */
export function createChecklist(write: (line: string) => void): Checklist {
  return {
    step: async (name, work) => {
      const started = performance.now();
      const result = await work();
      write(`  ok  ${name.padEnd(22)} ${Math.round(performance.now() - started)} ms`);
      return result;
    },
    note: (line) => write(`      ${line}`),
  };
}
