import type { IncomingMessage, ServerResponse } from 'node:http';

const MAX_BODY_BYTES = 1024 * 1024;

/** The whole body, or null if it is too large or the caller disconnected. */
export function readBody(req: IncomingMessage, done: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let settled = false;
  const settle = (body: Buffer | null): void => {
    if (settled) return;
    settled = true;
    done(body);
  };
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else settle(null);
  });
  req.on('end', () => settle(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)));
  req.on('close', () => settle(null));
}

/** The simulator takes any token, but none is none. */
export const hasToken = (req: IncomingMessage): boolean =>
  /^Bearer \S/.test(req.headers.authorization ?? '');

/** The value of a JSON body; undefined if it is not JSON. */
export function parseJson(body: Buffer | null): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function answerJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    ...headers,
  });
  res.end(json);
}

export function answerProblem(res: ServerResponse, status: number, message: string): void {
  answerJson(res, status, JSON.stringify({ error: { message } }));
}
