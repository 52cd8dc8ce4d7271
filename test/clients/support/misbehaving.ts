import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '../../../clients/typescript/src/index.ts';

interface Seen {
  readonly method: string | undefined;
  readonly key: string | undefined;
  readonly body: string;
  readonly at: number;
}

export type Behaviour = (res: ServerResponse, req: IncomingMessage) => void;

let server: Server | undefined;
/** Ends the last server, with what is under way. */
export function stop(): void {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
}

export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Behaviour =>
  (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
export const hangUp: Behaviour = (_, req) => req.socket.destroy();
export const silence: Behaviour = () => {};
export const created = answer(201, { id: 'con_1' });
export const limited = (headers: Record<string, string>): Behaviour =>
  answer(429, { error: { code: 'rate_limited', message: 'Slow down.' } }, headers);

/** A server that behaves in these ways, one after the other; the last one stays. */
export async function misbehaving(...ways: Behaviour[]) {
  const seen: Seen[] = [];
  const answerNext = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await text(req);
    const { method, headers } = req;
    const way = ways[Math.min(seen.length, ways.length - 1)];
    const key = headers['idempotency-key']?.toString();
    seen.push({ method, key, body, at: Date.now() });
    way?.(res, req);
  };
  const listening = createServer((req, res) => void answerNext(req, res));
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const options = { apiKey: 'sk_live_x', baseUrl, firstWaitMs: 5, timeoutMs: 20_000 };
  const within = (timeoutMs: number) => createClient({ ...options, timeoutMs });
  return { seen, baseUrl, within, api: createClient(options) };
}
