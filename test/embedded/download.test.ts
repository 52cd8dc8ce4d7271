import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StartError } from '../../src/embedded/start-error.ts';
import { type DownloadOptions, download } from '../../src/embedded/temporal/download.ts';
import { ownPort } from '../support/ports.ts';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

let folder: string;
let server: http.Server;
let base: string;
let answers: Record<string, Answer>;
let asked: string[];

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-download-'));
  asked = [];
  answers = {};
  server = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers[new URL(request.url ?? '/', base).pathname];
    if (answer) answer(request, response);
    else response.writeHead(404).end('no');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A gzipped tar with one program, `bin/temporal`, and a file that nobody asked for. */
function archiveOf(script: string): Buffer {
  const source = path.join(folder, 'source');
  fs.mkdirSync(path.join(source, 'bin'), { recursive: true });
  fs.writeFileSync(path.join(source, 'bin', 'temporal'), script, { mode: 0o644 });
  fs.writeFileSync(path.join(source, 'LICENSE'), 'text');
  return execFileSync('tar', ['-cz', '-C', source, 'bin/temporal', 'LICENSE']);
}

const json =
  (value: unknown): Answer =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  };

function offer(archive: Buffer, fileToExtract = 'bin/temporal'): void {
  answers['/cli/default'] = json({ archiveUrl: `${base}/archive.tar.gz`, fileToExtract });
  answers['/archive.tar.gz'] = (_request, response) => response.end(archive);
}

const runs = (file: string): boolean => {
  try {
    execFileSync(file, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const destination = (): string => path.join(folder, 'cache', 'temporal-cli');

const get = (options: Partial<DownloadOptions> = {}): Promise<string> =>
  download({
    artifact: 'cli',
    destination: destination(),
    executable: 'temporal',
    runs,
    progress: () => {},
    baseUrl: base,
    ...options,
  });

/** What the attempt failed with; afterwards the cache must be as empty as before. */
async function failure(options: Partial<DownloadOptions> = {}): Promise<string> {
  const error = await get(options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StartError);
  expect(fs.readdirSync(path.join(folder, 'cache'))).toEqual([]);
  return (error as StartError).message;
}

describe('downloading a Temporal program', () => {
  it('asks for this machine, follows a redirect, and keeps the one program that runs', async () => {
    const archive = archiveOf('#!/bin/sh\nexit 0\n');
    offer(archive);
    answers['/archive.tar.gz'] = (_request, response) =>
      response.writeHead(302, { location: '/moved.tar.gz' }).end();
    answers['/moved.tar.gz'] = (_request, response) => response.end(archive);

    const file = await get();

    const question = new URL(asked[0] ?? '', base).searchParams;
    expect(question.get('platform')).toBe(
      { linux: 'linux', darwin: 'darwin' }[process.platform as 'linux'],
    );
    expect(question.get('arch')).toBe({ x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64']);
    expect(file).toBe(path.join(destination(), 'temporal'));
    expect(runs(file)).toBe(true);
    expect(fs.readdirSync(destination())).toEqual(['temporal']);
  });

  it('replaces an earlier download that no longer works', async () => {
    fs.mkdirSync(destination(), { recursive: true });
    fs.writeFileSync(path.join(destination(), 'temporal'), 'broken');
    offer(archiveOf('#!/bin/sh\nexit 0\n'));

    await get();

    expect(runs(path.join(destination(), 'temporal'))).toBe(true);
  });

  it.each([
    ['a page of a captive portal', '<html>please log in</html>'],
    ['another document', '{"url":"x"}'],
    ['a path out of the archive', '{"archiveUrl":"http://127.0.0.1:1/a","fileToExtract":"../x"}'],
    ['a file of this machine', '{"archiveUrl":"file:///etc/passwd","fileToExtract":"x"}'],
  ])('refuses %s instead of the answer', async (_what, body) => {
    answers['/cli/default'] = (_request, response) => response.end(body);

    expect(await failure()).toContain('answered something else than a download');
  });

  it('refuses a page instead of the archive', async () => {
    offer(Buffer.from('<html>please log in</html>'));

    expect(await failure()).toContain('the archive is damaged');
  });

  it('refuses an archive that ends early', async () => {
    const whole = archiveOf(`#!/bin/sh\nexit 0\n# ${'x'.repeat(50_000)}${Math.random()}`);
    offer(whole.subarray(0, whole.length >> 1));

    expect(await failure()).toContain('the archive is damaged');
  });

  it('refuses an archive whose connection breaks half-way', async () => {
    const whole = archiveOf('#!/bin/sh\nexit 0\n');
    offer(whole);
    answers['/archive.tar.gz'] = (_request, response) => {
      response.writeHead(200, { 'content-length': whole.length });
      response.write(whole.subarray(0, 40));
      setTimeout(() => response.destroy(), 50);
    };

    expect(await failure()).toMatch(/closed|terminated|ECONNRESET/);
  });

  it('refuses an archive without the program', async () => {
    offer(archiveOf('#!/bin/sh\nexit 0\n'), 'bin/other');

    expect(await failure()).toContain('the archive is damaged');
  });

  it('refuses a program that does not run here', async () => {
    offer(archiveOf('\x7fELF of another machine'));

    expect(await failure()).toBe('the downloaded program does not run here');
  });

  it.each(['/cli/default', '/archive.tar.gz'])('says that %s answered 404', async (missing) => {
    offer(archiveOf('#!/bin/sh\nexit 0\n'));
    delete answers[missing];

    expect(await failure()).toMatch(/^127\.0\.0\.1:\d+ answered 404$/);
  });

  it('gives up on a server that accepts and never answers', async () => {
    answers['/cli/default'] = () => {};

    expect(await failure({ stallMs: 200 })).toBe('nothing arrived for 0.2 s');
  });

  it('gives up on an archive that stops arriving', async () => {
    offer(archiveOf('#!/bin/sh\nexit 0\n'));
    answers['/archive.tar.gz'] = (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('first bytes');
    };

    expect(await failure({ stallMs: 200 })).toBe('nothing arrived for 0.2 s');
  });

  it('gives up on an archive that drips for ever', async () => {
    offer(archiveOf('#!/bin/sh\nexit 0\n'));
    answers['/archive.tar.gz'] = (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    };

    expect(await failure({ stallMs: 30_000, totalMs: 500 })).toBe('not finished after 0.5 s');
  });

  it('says when nobody listens', async () => {
    const port = await ownPort();

    expect(await failure({ baseUrl: `http://127.0.0.1:${port}` })).toContain('ECONNREFUSED');
  });
});
