/** Asks a URL as fast as it answers, each key of a file in turn, whenever its parent says so. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Load, LoadOrder } from '../support/load-generator.ts';

const { LOAD_KEYS = '' } = process.env;
const keys = readFileSync(LOAD_KEYS, 'utf8').trim().split('\n');

async function load({ url, seconds, connections }: LoadOrder): Promise<Load> {
  const target = new URL(url);
  const requests = keys.map((key) => ({
    method: 'GET' as const,
    path: target.pathname + target.search,
    headers: { authorization: `Bearer ${key}` },
  }));
  let client = 0;
  const before = process.cpuUsage();
  const result = await autocannon({
    url: target.origin,
    connections,
    duration: seconds,
    requests,
    // Each connection begins with another key, as callers do: in step they would wait for one row.
    setupClient: (each) => {
      const start = Math.floor((client++ * keys.length) / connections);
      each.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
    },
  });
  const { user, system } = process.cpuUsage(before);
  return {
    answers: result['2xx'],
    failures: result.non2xx + result.errors + result.timeouts,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuSeconds: (user + system) / 1e6,
  };
}

process.on('message', (order: LoadOrder) => {
  void load(order).then((result) => process.send?.(result));
});
process.once('disconnect', () => process.exit(0));
