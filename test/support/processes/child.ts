import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually, type Patience } from '../waiting.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

/** The flags for V8, the same as in `npm start`. */
const FLAGS = manifest.scripts.start.split(' ').filter((word: string) => word.startsWith('--'));

/** A real process of the service or of its surroundings, known by its pid. */
export interface Child {
  readonly pid: number;
  /** What it wrote last, for the message of a failed test. */
  output(): string;
  /** Everything it wrote so far. */
  said(): string;
  /** `SIGKILL` is `kill -9`; resolves when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  exited: Promise<number | null>;
}

const WITH_PARENT = new URL('with-parent.mjs', import.meta.url).href;

/** Starts `node file.ts`. The child ends when this process ends: its standard input closes. */
export function startChild(file: string, environment: Record<string, string>): Child {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      ...FLAGS,
      `--import=${WITH_PARENT}`,
      fileURLToPath(new URL(file, `file://${ROOT}`)),
    ],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const written: Buffer[] = [];
  const keep = (chunk: Buffer): void => {
    written.push(chunk);
  };
  const said = (): string => Buffer.concat(written).toString();
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  // What it wrote last may be read after its exit.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    pid: child.pid ?? 0,
    output: () => said().slice(-20_000),
    said,
    exited,
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      await exited;
    },
  };
}

/** Waits until `check` is true; fails with what the child wrote. What throws is not so yet. */
export function until(
  what: string,
  check: () => Promise<boolean>,
  { child, timeoutMs = 90_000, everyMs = 50 }: Omit<Patience, 'instead'> & { child?: Child } = {},
): Promise<void> {
  return eventually(() => check().catch(() => false), {
    timeoutMs,
    everyMs,
    instead: () => `${what}: not yet\n${child?.output() ?? ''}`,
  });
}
