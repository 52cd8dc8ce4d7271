import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { countRefusals } from '../callers/refusals.ts';

/** What the door counts; `/metrics` shows the registry. */
export interface HttpMetrics {
  readonly registry: Registry;
  served(method: string, route: string, status: number, seconds: number): void;
  /** Counts another 503 because of a queue that was too long, by reason. */
  turnedAway(reason: TurnedAway): void;
  /** Counts another 401, 403 or 429 for an address; returns its number within this minute. */
  refused(status: number, address: string | null): number;
}

/**
 * `crowded`: at the door, since more come than are served. `share`: the own workspace asks more than its share.
 * `late`: let in, and no connection to the database was free in time.
 */
const TURNED_AWAY = ['crowded', 'share', 'late'] as const;
type TurnedAway = (typeof TURNED_AWAY)[number];

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * @param registry shared with the process's other metrics
 * @param now milliseconds since 1970
 */
export function httpMetrics(registry: Registry = new Registry(), now = Date.now): HttpMetrics {
  const durations = new Histogram({
    name: 'wms_http_request_duration_seconds',
    help: 'Time from the request head to the written answer, but for /healthz, /readyz and /metrics.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const unauthorized = new Counter({
    name: 'wms_http_unauthorized_total',
    help: 'Requests refused because their credential was missing, unknown, expired or revoked.',
    registers: [registry],
  });
  const limited = new Counter({
    name: 'wms_http_rate_limited_total',
    help: 'Requests refused because their credential had none left.',
    registers: [registry],
  });
  const forbidden = new Counter({
    name: 'wms_http_forbidden_total',
    help: 'Requests refused because their credential may not do this.',
    registers: [registry],
  });
  const turnedAway = new Counter({
    name: 'wms_http_turned_away_total',
    help: 'Requests answered 503 since too many wait: for anybody, for their own workspace, or for too long.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Shown from the start, because otherwise the first ones would not be an increase.
  for (const reason of TURNED_AWAY) turnedAway.inc({ reason }, 0);
  const refusals = countRefusals(now);
  new Gauge({
    name: 'wms_http_refusals_of_one_address',
    help: 'The most requests of one address that were answered 401, 403 or 429 within the running minute.',
    registers: [registry],
    collect() {
      this.set(refusals.most());
    },
  });
  const refused = new Map([
    [401, unauthorized],
    [403, forbidden],
    [429, limited],
  ]);
  const series = new Map<string, { observe(seconds: number): void }>();
  // Looked up once for each combination, because hashing labels would cost more than counting.
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${route} ${status}`;
    const known = series.get(name) ?? durations.labels({ method, route, status });
    series.set(name, known);
    return known;
  };
  return {
    registry,
    served(method, route, status, seconds) {
      seriesOf(method, route, status).observe(seconds);
    },
    turnedAway(reason) {
      turnedAway.inc({ reason });
    },
    refused(status, address) {
      refused.get(status)?.inc();
      return refusals.add(address);
    },
  };
}
