import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { openOwnDatabase } from './database.ts';
import { aWorkspace } from './factories/workspaces.ts';
import { openTerminals, runAlone, type Said } from './shell/terminals.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export type { Said };

/** A command that runs until it is stopped. */
export interface Running {
  /** Whole lines of its standard output so far. */
  lines(): string[];
  /** What it says on its standard error. */
  err(): string;
  /** Its exit code, null after a kill. */
  readonly exited: Promise<number | null>;
  /** Nobody reads its standard output any more, as after `| head`. */
  leave(): void;
  /** `SIGINT` is Ctrl-C; answers as `exited` does. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The keys that commands, and a service beside them, encrypt with. */
export const SHELL_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** A workspace in a database of its own, and a person at the command line in front of it. */
export interface Shell {
  readonly database: Database;
  /** The owner's. */
  readonly databaseUrl: string;
  /** Where commands look for `run.json`. */
  readonly dataDir: string;
  readonly ctx: Context;
  readonly ownerId: string;
  /** Runs `wms …` in another process; it answers in JSON. */
  wms(...args: string[]): Promise<Said>;
  /** As a terminal shows it. */
  wmsInWords(...args: string[]): Promise<Said>;
  /** The same without naming the workspace. */
  wmsAnywhere(...args: string[]): Promise<Said>;
  /** The same in a process of its own, which ends by itself. */
  wmsAlone(...args: string[]): Promise<Said>;
  /** The same with this on its standard input. */
  wmsReading(input: string, ...args: string[]): Promise<Said>;
  /** Begins `wms …`, as a terminal shows it. */
  start(...args: string[]): Running;
  /** The same without naming the workspace. */
  startAnywhere(...args: string[]): Running;
  /** Writes a file to be named on the command line; anything but a string is written as JSON. */
  file(content: unknown): string;
  close(): Promise<void>;
}

export async function openShell(variables: Record<string, string> = {}): Promise<Shell> {
  const database = await openOwnDatabase();
  const { ctx, ownerId } = await aWorkspace(database);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-shell-'));
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    ENCRYPTION_KEYS: SHELL_KEYS,
    ...variables,
  };
  const here = ['--workspace', ctx.organizationId];
  const terminals = openTerminals(env);
  return {
    database,
    databaseUrl: database.url,
    dataDir: folder,
    ctx,
    ownerId,
    start: (...args) => begin([MAIN, ...args, ...here], env),
    startAnywhere: (...args) => begin([MAIN, ...args], env),
    wms: (...args) => terminals.run([...args, '--json', ...here]),
    wmsInWords: (...args) => terminals.run([...args, ...here]),
    wmsAnywhere: (...args) => terminals.run(args),
    wmsAlone: (...args) => runAlone(args, env),
    wmsReading: (input, ...args) => runAlone(args, env, input),
    file: (content) => {
      const name = path.join(folder, `${randomBytes(4).toString('hex')}.json`);
      fs.writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
      return name;
    },
    close: async () => {
      await terminals.close();
      fs.rmSync(folder, { recursive: true });
      await database.close();
    },
  };
}

function begin(args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  // What it said last may be read after its exit.
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    lines: () => out.split('\n').slice(0, -1),
    err: () => err,
    exited,
    leave: () => void child.stdout.destroy(),
    stop: (signal = 'SIGINT') => {
      child.kill(signal);
      return exited;
    },
  };
}
