import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../src/net/sender.ts';
import { noteStarted } from '../support/run-folder.ts';
import { eventually } from '../support/waiting.ts';
import { closedByUs, DEADLINE_MS, floods, HANGS_MS, head, receivers } from './support/receiver.ts';

const { receiver, close } = receivers();
afterEach(close);

const openFiles = (): number => readdirSync('/proc/self/fd').length;
const MEGABYTE = 1_048_576;

describe('two hundred receivers at once', () => {
  it('that drip their bodies for ever are successes, closed by us, in little memory', async () => {
    const drips = floods(head('Content-Length: 999999\r\n'), Buffer.from('drip'), 100);
    const { server, post } = await receiver(drips);
    const files = openFiles();
    const memory = process.memoryUsage.rss();

    const outcomes = await Promise.all(Array.from({ length: 200 }, () => post()));

    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['delivered']));
    await closedByUs(server);
    await eventually(() => openFiles() <= files + 5);
    // Both sides of two hundred connections in one process; 5 MB of it are the sender's in bench/.
    expect(process.memoryUsage.rss() - memory).toBeLessThan(100 * MEGABYTE);
  });

  it('that accept and say nothing time out, and leave no file open', async () => {
    const { server, post } = await receiver(() => {}, DEADLINE_MS);
    const files = openFiles();

    const outcomes = await Promise.all(Array.from({ length: 200 }, () => post()));

    const kinds = outcomes.map((one) => (one.kind === 'failed' ? one.error : one.kind));
    expect(new Set(kinds)).toEqual(new Set(['timeout']));
    await closedByUs(server);
    await eventually(() => openFiles() <= files + 5);
  });
});

/** A process that listens and is halted with its queue of connections full: it answers no SYN any more. */
async function deafServer() {
  const listening = `const s = require('node:net').createServer();
    s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port));`;
  const child: ChildProcess = spawn(process.execPath, ['-e', listening]);
  if (child.pid) noteStarted({ pid: child.pid, mark: 'backlog: 1', signal: 'SIGKILL' });
  const [line] = await once(child.stdout ?? child, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  const fillers: Socket[] = [];
  for (let full = false; !full && fillers.length < 64; ) {
    const filler = connect(port, '127.0.0.1').on('error', () => {});
    fillers.push(filler);
    await Promise.race([once(filler, 'connect'), sleep(1_000)]);
    // What came while this process stood still is heard before the queue counts as full.
    await nextTurn();
    full = filler.connecting;
  }
  const end = async () => {
    for (const filler of fillers) filler.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { port, end };
}

describe('a receiver that does not answer a SYN', () => {
  it.each(['http', 'https'])('costs one deadline over %s', async (protocol) => {
    const { port, end } = await deafServer();
    const sender = createSafeSender({
      trustedOrigins: protocol === 'http' ? [`http://127.0.0.1:${port}`] : [],
      deadlineMs: 1_500,
      resolve: async () => ({ kind: 'found', addresses: ['127.0.0.1'] }),
      isPublic: () => true,
    });
    const host = protocol === 'http' ? '127.0.0.1' : 'hooks.shop.com';

    try {
      const url = `${protocol}://${host}:${port}/`;
      const outcome = await sender.post({ url, headers: {}, body: '{}' });

      expect(outcome).toMatchObject({ kind: 'failed', error: 'timeout', code: null });
      expect(outcome.durationMs).toBeGreaterThanOrEqual(1_400);
      expect(outcome.durationMs).toBeLessThan(1_500 + HANGS_MS);
    } finally {
      await sender.close();
      await end();
    }
  });
});
