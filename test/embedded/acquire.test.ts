import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acquire, execute, type Step } from '../../src/embedded/temporal/acquire.ts';
import { acquireTemporalCli } from '../../src/embedded/temporal/cli.ts';
import { acquireTestServer } from '../support/temporal-test-server.ts';

const missing: Step = { name: 'cache', find: () => undefined };
const broken: Step = {
  name: 'download',
  find: () => Promise.reject(new TypeError('no route to host')),
};
const found: Step = { name: 'build', find: () => '/bin/true' };

const server = (steps: readonly Step[]) => ({
  what: 'The server',
  steps,
  remedy: 'Install the server.',
});

const { PATH, TEMPORAL_CLI, TEMPORAL_TEST_SERVER, XDG_CACHE_HOME } = process.env;
let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-acquire-'));
});

afterEach(() => {
  const before = { PATH, TEMPORAL_CLI, TEMPORAL_TEST_SERVER, XDG_CACHE_HOME };
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

function program(name: string, script: string): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe('getting a program', () => {
  it('goes on to the next way, and prints one line with the time for each', async () => {
    const lines: string[] = [];

    const file = await acquire(server([missing, broken, found]), (l) => lines.push(l));

    expect(file).toBe('/bin/true');
    expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
      'The server: cache: not found (N ms)',
      'The server: download: no route to host (N ms)',
      'The server: build: /bin/true (N ms)',
    ]);
  });

  it('ends with everything it tried and what to do', async () => {
    const attempt = acquire(server([missing, broken]), () => {});

    await expect(attempt).rejects.toThrow(
      /^The server is not available\.\n {2}cache: not found .*\n {2}download: no route to host .*\nInstall the server\.$/,
    );
  });

  it('ends the program that makes it, and tries nothing else, once the start is ended', async () => {
    const stopping = new AbortController();
    const slow: Step = {
      name: 'build',
      find: async (progress, signal) => {
        const making = execute('sleep', ['60'], { timeoutMs: 60_000, progress, stopping: signal });
        stopping.abort(new Error('ended'));
        await making;
        return undefined;
      },
    };
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);

    const attempt = acquire(server([slow, found]), log, stopping.signal);

    await expect(attempt).rejects.toThrow('ended');
    expect(lines).toEqual([]);
  });
});

describe('the dev server', () => {
  it('is the one that TEMPORAL_CLI names', async () => {
    process.env['TEMPORAL_CLI'] = program('mine', 'exit 0');

    expect(await acquireTemporalCli(() => {})).toBe(process.env['TEMPORAL_CLI']);
  });

  it('is not looked for elsewhere when TEMPORAL_CLI does not run', async () => {
    process.env['TEMPORAL_CLI'] = program('mine', 'exit 1');

    await expect(acquireTemporalCli(() => {})).rejects.toThrow(
      `TEMPORAL_CLI: ${folder}/mine does not run`,
    );
  });

  it('is found on PATH before the cache', async () => {
    delete process.env['TEMPORAL_CLI'];
    const file = program('path/temporal', 'exit 0');
    process.env['PATH'] = `${path.dirname(file)}:${PATH}`;

    expect(await acquireTemporalCli(() => {})).toBe(file);
  });

  it('is found in the cache when the one on PATH does not run', async () => {
    delete process.env['TEMPORAL_CLI'];
    program('path/temporal', 'exit 1');
    process.env['PATH'] = `${folder}/path:${PATH}`;
    process.env['XDG_CACHE_HOME'] = folder;
    const file = program('workspace-messaging/temporal-cli-download/temporal', 'exit 0');

    expect(await acquireTemporalCli(() => {})).toBe(file);
  });
});

describe('the time-skipping server', () => {
  it('is not looked for elsewhere when TEMPORAL_TEST_SERVER is not there', async () => {
    process.env['TEMPORAL_TEST_SERVER'] = path.join(folder, 'gone');

    await expect(acquireTestServer(() => {})).rejects.toThrow('TEMPORAL_TEST_SERVER: ');
  });
});
