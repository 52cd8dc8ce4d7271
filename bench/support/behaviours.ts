/** How receivers behave: one that is well, and twenty that are not. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** Answers a request in its own way; true if the answer is a 2xx. */
type Behave = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

const MEGABYTE = 1_048_576;
const FLAPS_EVERY_MS = 10_000;

function ok(response: ServerResponse): boolean {
  response.writeHead(200, { 'content-length': 0 }).end();
  return true;
}

const after =
  (ms: number): Behave =>
  async (_request, response) => {
    await sleep(ms);
    return ok(response);
  };

const status =
  (code: number, headers: Record<string, string> = {}): Behave =>
  (_request, response) => {
    response.writeHead(code, headers).end('no');
    return false;
  };

/** Bytes that are no answer of HTTP; the connection stays open unless `end` says otherwise. */
const says =
  (text: string, end?: 'fin' | 'rst'): Behave =>
  ({ socket }) => {
    socket.write(text);
    if (end === 'fin') socket.end();
    if (end === 'rst') setImmediate(() => socket.resetAndDestroy());
    return false;
  };

/** 200, then a chunk each time the other side has taken the last one, or every so many milliseconds. */
const floods =
  (chunk: Buffer, everyMs: number): Behave =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = (): void => {
      if (response.destroyed || response.socket?.destroyed) return;
      const taken = response.write(chunk);
      if (everyMs > 0) setTimeout(more, everyMs);
      else if (taken) setImmediate(more);
      else response.once('drain', more);
    };
    more();
    return true;
  };

let bomb: Buffer | null = null;
const gzipBomb: Behave = (_request, response) => {
  bomb ??= gzipSync(Buffer.alloc(200 * MEGABYTE, 'a'));
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
  return true;
};

const flapping: Behave = (request, response) => {
  if (Math.floor(Date.now() / FLAPS_EVERY_MS) % 2 === 0) return ok(response);
  request.socket.destroy();
  return false;
};

/** By request and answer. */
export const behaviours = {
  good: (_request, response) => ok(response),
  'answers after 2 s': after(2_000),
  'answers after 9.9 s': after(9_900),
  'never answers': () => false,
  'drips a body for ever': floods(Buffer.from('.'), 200),
  'a body without end': floods(Buffer.alloc(65_536, 'x'), 0),
  'a gzip bomb': gzipBomb,
  'resets in mid-answer': says('HTTP/1.1 200 OK\r\nContent-Le', 'rst'),
  'closes without an answer': says('', 'fin'),
  'switches protocols (101)': says(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  ),
  'speaks no HTTP': says('SSH-2.0-OpenSSH_9.6\r\n\r\n', 'fin'),
  '3,000 headers': says(
    `HTTP/1.1 200 OK\r\n${Array.from({ length: 3_000 }, (_, n) => `x-${n}: y\r\n`).join('')}\r\n`,
    'fin',
  ),
  'redirects (302)': status(302, { location: 'http://169.254.169.254/latest/meta-data/' }),
  'answers 500': status(500),
  'answers 429, Retry-After: 2': status(429, { 'retry-after': '2' }),
  'answers 410': status(410),
  'up and down every 10 s': flapping,
} as const satisfies Record<string, Behave>;

/** By what stands in the way before a request is sent. */
const UNREACHABLE = [
  'a certificate nobody trusts',
  'a dead port',
  'a private address in the DNS',
  'a name that does not exist',
] as const;

export type Reachable = keyof typeof behaviours;
export type Kind = Reachable | (typeof UNREACHABLE)[number];

export const isReachable = (kind: Kind): kind is Reachable => Object.hasOwn(behaviours, kind);

export const MISBEHAVING: readonly Kind[] = [
  ...(Object.keys(behaviours) as Reachable[]).filter((kind) => kind !== 'good'),
  ...UNREACHABLE,
];
