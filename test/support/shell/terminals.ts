import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

/** What a command left behind. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The document that `--json` prints. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  readonly json: any;
}

export interface Terminals {
  /** Runs `wms` with these words. Several at a time run in as many processes. */
  run(words: readonly string[]): Promise<Said>;
  close(): Promise<void>;
}

/** Processes that run `wms` commands in this environment, each one command after another. */
export function openTerminals(env: NodeJS.ProcessEnv): Terminals {
  const all: ChildProcess[] = [];
  const idle: ChildProcess[] = [];
  const open = (): ChildProcess => {
    const child = fork(CHILD, { env, execArgv: [], stdio: 'inherit' });
    all.push(child);
    return child;
  };
  return {
    async run(words) {
      const child = idle.pop() ?? open();
      const said = await answer(child, words);
      idle.push(child);
      return { ...said, json: asJson(said.out) };
    },
    close: async () => {
      await Promise.all(
        all.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}

/** Runs `wms` as a terminal does: the process must end by itself. */
export const runAlone = (
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Said> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...words], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err, json: asJson(out) }),
    );
    child.stdin?.end(input);
  });

const answer = (child: ChildProcess, words: readonly string[]): Promise<Omit<Said, 'json'>> =>
  new Promise((resolve, reject) => {
    const died = (code: number | null): void =>
      reject(new TypeError(`wms ${words.join(' ')} ended with ${code}`));
    child.once('exit', died);
    child.once('message', (said) => {
      child.off('exit', died);
      resolve(said as Omit<Said, 'json'>);
    });
    child.send(words);
  });

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
