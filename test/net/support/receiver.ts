import type { SendOutcome } from '../../../src/net/outcome.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { eventually } from '../../support/waiting.ts';
import { type Behaviour, type Listener, startTcp } from './servers.ts';

/** Long enough for whatever a busy machine does: only what never answers meets it. */
const PATIENT_MS = 30_000;
/** For receivers that are to be given up. */
export const DEADLINE_MS = 500;
/** What a deadline may be overrun by before something hangs. */
export const HANGS_MS = 15_000;
export const request = {
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"id":1}'),
};

/** Receivers with one way to behave, each with a sender that trusts it; `close` ends them all. */
export function receivers() {
  let closing: (() => Promise<void>)[] = [];

  async function receiver(behave: Behaviour, deadlineMs = PATIENT_MS) {
    const server = await startTcp(behave);
    const origin = `http://127.0.0.1:${server.port}`;
    const sender = createSafeSender({ trustedOrigins: [origin], deadlineMs });
    closing.push(() => sender.close(), server.close);
    const post = () => sender.post({ url: `${origin}/hook`, ...request });
    return { server, sender, origin, post };
  }

  async function close() {
    for (const end of closing) await end();
    closing = [];
  }

  return { receiver, close };
}

export const says = (text: string | Buffer): Behaviour => {
  return (socket) => socket.write(text);
};

export const head = (lines = '') => `HTTP/1.1 200 OK\r\n${lines}\r\n`;

/** Writes for ever, as fast as the other side reads, until the connection is closed. */
export const floods = (start: string, chunk: Buffer, everyMs?: number): Behaviour => {
  return (socket) => {
    socket.write(start);
    const more = () => {
      while (!everyMs && !socket.destroyed && socket.write(chunk));
    };
    if (everyMs) {
      const timer = setInterval(() => socket.write(chunk), everyMs);
      socket.on('close', () => clearInterval(timer));
    }
    socket.on('drain', more);
    more();
  };
};

export const closedByUs = (server: Listener) => eventually(() => server.open.size === 0);

export const textOf = (outcome: SendOutcome) =>
  outcome.kind === 'infrastructure' ? null : outcome.response;
