/** Asks one URL as fast as it answers, with each key of a file in turn; prints what came back. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { LOAD_URL = '', LOAD_KEYS = '', LOAD_SECONDS = '5', LOAD_CONNECTIONS = '32' } = process.env;
const target = new URL(LOAD_URL);
const connections = Number(LOAD_CONNECTIONS);
const keys = readFileSync(LOAD_KEYS, 'utf8').trim().split('\n');
const requests = keys.map((key) => ({
  method: 'GET' as const,
  path: target.pathname + target.search,
  headers: { authorization: `Bearer ${key}` },
}));

let client = 0;
const result = await autocannon({
  url: target.origin,
  connections,
  duration: Number(LOAD_SECONDS),
  requests,
  // Each connection begins with another key, as callers do: in step they would wait for one row.
  setupClient: (each) => {
    const start = Math.floor((client++ * keys.length) / connections);
    each.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  },
});
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    answers: result['2xx'],
    failures: result.non2xx + result.errors + result.timeouts,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuSeconds: (user + system) / 1e6,
  }),
);
