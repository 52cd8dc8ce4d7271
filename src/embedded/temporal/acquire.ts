import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '../start-error.ts';

export type Log = (line: string) => void;

/** One place to look for a program, or one way to get it. */
export interface Step {
  readonly name: string;
  /** The user chose it explicitly, so if it fails no later step is tried. */
  readonly chosen?: boolean;
  /** The program's path, or undefined if it is not there; throws the reason if it failed. */
  find(progress: Log, stopping?: AbortSignal): Promise<string | undefined> | string | undefined;
}

/** Where downloaded or built programs are kept, shared by all clones of the project. */
export function cacheDir(): string {
  const base = process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  return path.join(base, 'workspace-messaging');
}

/** The first file of this name in `PATH`. */
export function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** Runs a program to its end, reporting every ten seconds that it is still running; throws with its last output. */
export function execute(
  command: string,
  args: readonly string[],
  options: {
    timeoutMs: number;
    progress?: Log;
    env?: NodeJS.ProcessEnv;
    stopping?: AbortSignal | undefined;
  },
): Promise<void> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.stopping ? { signal: options.stopping } : {}),
  });
  let said = '';
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-2_000);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const started = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  const tick = setInterval(() => options.progress?.(`still running (${seconds()})`), 10_000);
  const timer = setTimeout(() => {
    said += `\nended after ${seconds()}`;
    child.kill('SIGKILL');
  }, options.timeoutMs);
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const last = said.trim().split('\n').slice(-3).join(' ').slice(0, 300);
      if (code === 0) resolve();
      else reject(new StartError(last || `${command} ended with ${code}`));
    });
  }).finally(() => {
    clearInterval(tick);
    clearTimeout(timer);
  });
}

/** A program that is needed: its name, the ways to get it, and a sentence that says what to do if none works. */
interface Wanted {
  readonly what: string;
  readonly steps: readonly Step[];
  readonly remedy: string;
}

/**
 * Tries the steps in turn and prints a line for each, with the time it took.
 *
 * @returns the path that the first successful step found
 * @throws StartError with everything that was tried, and the remedy; the reason of `stopping` once that is aborted
 */
export async function acquire(
  { what, steps, remedy }: Wanted,
  log: Log,
  stopping?: AbortSignal,
): Promise<string> {
  const tried: string[] = [];
  for (const step of steps) {
    const started = performance.now();
    const tell = (outcome: string): string => {
      const line = `${step.name}: ${outcome} (${(performance.now() - started).toFixed()} ms)`;
      log(`${what}: ${line}`);
      return line;
    };
    try {
      const file = await step.find((line) => log(`${what}: ${step.name}: ${line}`), stopping);
      if (file) {
        tell(file);
        return file;
      }
      tried.push(tell('not found'));
    } catch (error) {
      stopping?.throwIfAborted();
      tried.push(tell((error as Error).message));
      if (step.chosen) throw new StartError(`${step.name}: ${(error as Error).message}`);
    }
  }
  throw new StartError(`${what} is not available.\n  ${tried.join('\n  ')}\n${remedy}`);
}
