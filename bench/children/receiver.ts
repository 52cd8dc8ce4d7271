/** A customer's server at its fastest: takes every delivery and remembers when it came. */
import { createServer, type ServerResponse } from 'node:http';
import { machineNow } from '../support/machine-clock.ts';

/** When each event first arrived, by the machine's clock. */
const arrivals = new Map<string, number>();
let received = 0;

function answer(res: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  res.end(text);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  if (req.method === 'GET' && req.url === '/count') return answer(res, received);
  if (req.method === 'GET') return answer(res, [...arrivals]);
  if (req.method === 'DELETE') {
    arrivals.clear();
    received = 0;
    return answer(res, received);
  }
  received += 1;
  const id = String(req.headers['webhook-id']);
  if (!arrivals.has(id)) arrivals.set(id, machineNow());
  req.resume();
  req.once('end', () => {
    res.writeHead(200, { 'content-length': 0 });
    res.end();
  });
});
server.listen(Number(process.env['RECEIVER_PORT']), '127.0.0.1');
