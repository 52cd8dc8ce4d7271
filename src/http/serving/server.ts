import http from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { errorAnswer } from '../answer.ts';
import { timeBody } from '../body/body.ts';

const LIMITS = {
  headersTimeout: 5_000,
  // The last safeguard: `timeBody` gives most bodies less time, and files more.
  requestTimeout: 310_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the proxies in front keep theirs: a request must not meet a connection that is just being closed.
  keepAliveTimeout: 75_000,
  // The frame checks Host itself, and answers in our format.
  requireHostHeader: false,
} as const;
/** How long neither side may move: whoever stops reading an answer holds what is left of it in memory. */
const SILENCE_MS = 60_000;
const MAX_CONNECTIONS = 4_000;
const MAX_REQUESTS_PER_SOCKET = 1_000;

/** An HTTP server that slow, endless and malformed senders, and readers that stop, cannot occupy for long. */
export function createHttpServer(handler: http.RequestListener, baseUrl: string): http.Server {
  const server = http.createServer(LIMITS, (req, res) => {
    timeBody(req, () => refuse(LATE, req.socket, baseUrl));
    handler(req, res);
  });
  // Node would refuse any expectation but 100-continue by itself, in no format of ours; they may be ignored (RFC 9110,
  // section 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.setTimeout(SILENCE_MS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(error, socket, baseUrl),
  );
  return server;
}

const LATE = Object.assign(new Error('The body is late.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

const CODES: Readonly<Record<string, [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The chunk extensions are too large.'],
};

/** What Node's parser refuses never becomes a request, but is still answered in our format. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, baseUrl: string): void {
  // An answer has begun on this connection, so a second one would be read as its continuation.
  const current = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy(error);
    return;
  }
  const [code, message] = CODES[error.code ?? ''] ?? ['bad_request', 'This is not valid HTTP.'];
  const requestId = newId('req');
  const { status, body } = errorAnswer(new AppError(code, message), requestId, baseUrl);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\n` +
      `Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Stops accepting connections, lets requests in flight finish, and closes the rest after `graceMs`. */
export async function stopHttpServer(server: http.Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
