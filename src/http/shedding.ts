import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '../db/database.ts';
import { unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { errorAnswer, pageAnswer, send } from './answer.ts';
import type { HttpMetrics } from './metrics.ts';
import type { ErrorPage } from './mount.ts';
import { securityHeaders } from './security-headers.ts';

/** How long somebody may have to wait in each of the lines, while more come than can be served. */
const WAIT_MS = { reads: 125, writes: 250 };
/** In a burst, which is over within this time, somebody may wait so long. */
const BURST = { lastsMs: 500, waitMs: 1_500 };
/** Once nobody had to wait too long for this time, the next ones may be a burst again. */
const CALM_MS = 1_000;
const SAID_EVERY_MS = 10_000;

/** Whether a line is too long to join it. */
type Check = (wait: number, moment: number) => boolean;

function checkFor(limitMs: number): Check {
  let longSince: number | null = null;
  let longUntil = 0;
  return (wait, moment) => {
    if (longSince !== null && moment - longUntil > CALM_MS) longSince = null;
    if (wait <= limitMs) return false;
    longSince ??= moment;
    longUntil = moment;
    return wait > BURST.waitMs || moment - longSince > BURST.lastsMs;
  };
}

/**
 * Under a load that goes on, whoever comes at the end of a long line waits in vain and makes all others wait: they
 * are told at once to come later, which leaves the time to those who are in.
 *
 * @param lines those who wait for a connection to the database
 * @param now milliseconds of a clock that never goes back
 * @returns whether a request of that method had better come later
 */
export function gateBefore(
  { reads, writes }: Database['lines'],
  now = (): number => performance.now(),
): (method: string | undefined) => boolean {
  const tooLong = { reads: checkFor(WAIT_MS.reads), writes: checkFor(WAIT_MS.writes) };
  return (method) => {
    const moment = now();
    const toRead = reads.wait();
    const late = tooLong.reads(toRead, moment);
    if (method === 'GET' || method === 'HEAD') return late;
    // Everybody comes in by a connection to read; of who is still on the way there, the line of writers knows nothing.
    return toRead > WAIT_MS.reads || tooLong.writes(writes.wait(), moment);
  };
}

interface TurningAway {
  readonly lines: Database['lines'];
  readonly baseUrl: string;
  readonly metrics: Pick<HttpMetrics, 'served'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Answers 503 with `Retry-After`, for as little as an answer can cost: many are turned away when there is least time.
 * Where a person looks at the answer it is `errorPage`.
 */
export function turnAway({ lines, baseUrl, metrics, log }: TurningAway) {
  const error = unavailable('More requests come than can be served. Try again shortly.');
  const fixed = securityHeaders(baseUrl);
  let saidAt = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (req: IncomingMessage, res: ServerResponse, errorPage?: ErrorPage): void => {
    const requestId = newId('req');
    const json = errorAnswer(error, requestId, baseUrl);
    const languages = req.headers['accept-language'] ?? '';
    const answer = errorPage ? pageAnswer(json, errorPage(error, { requestId, languages })) : json;
    for (const [name, value] of fixed) res.setHeader(name, value);
    res.setHeader('X-Request-Id', requestId);
    send(req, res, answer);
    metrics.served(req.method ?? 'GET', 'shed', answer.status, 0);
    refused += 1;
    if (performance.now() - saidAt < SAID_EVERY_MS) return;
    const waiting = { reads: lines.reads.length, writes: lines.writes.length };
    log.warn({ refused, waiting }, 'more requests come than can be served');
    saidAt = performance.now();
    refused = 0;
  };
}
