import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Line } from '../../db/connections/line.ts';
import { patienceOf, WAIT_MS } from '../../db/connections/patience.ts';
import type { TurnRefused } from '../../db/connections/turns.ts';
import { unavailable } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Log } from '../../log.ts';
import { errorAnswer, send, toldBy } from '../answer.ts';
import type { ErrorTelling } from '../error-telling.ts';
import type { HttpMetrics } from './metrics.ts';
import { securityHeaders } from './security-headers.ts';

const SAID_EVERY_MS = 10_000;

/** The queues for a connection to authenticate and read, and for one to change something. */
interface Lines {
  readonly reads: Line;
  readonly writes: Line;
}

/**
 * When the queues are too long, newcomers are told at once to come later, which leaves the time to those already
 * admitted. These queues do not include callers that wait for their own workspace's share; those are refused by their
 * turn.
 *
 * @param now milliseconds of a monotonic clock
 * @returns whether a request with that method should come later
 */
export function gateBefore(
  { reads, writes }: Lines,
  now = (): number => performance.now(),
): (method: string | undefined) => boolean {
  const tooLong = { reads: patienceOf(WAIT_MS.reads), writes: patienceOf(WAIT_MS.writes) };
  return (method) => {
    const moment = now();
    const toRead = reads.wait();
    const late = tooLong.reads(toRead, moment);
    if (method === 'GET' || method === 'HEAD') return late;
    // Everyone first needs a connection to read; the queue of writers does not know those still on their way.
    return toRead > WAIT_MS.reads || tooLong.writes(writes.wait(), moment);
  };
}

interface SheddingParts {
  readonly lines: Lines;
  readonly baseUrl: string;
  readonly metrics: Pick<HttpMetrics, 'served' | 'turnedAway'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Answers 503 with `Retry-After` at the lowest possible cost, because many are turned away when time is shortest.
 * The area that was asked says it in its own way.
 */
export function shedLoad({ lines, baseUrl, metrics, log }: SheddingParts) {
  const error = unavailable('More requests come than can be served. Try again shortly.');
  const fixed = securityHeaders(baseUrl);
  const isTime = nowAndThen();
  let refused = 0;
  return (req: IncomingMessage, res: ServerResponse, area: ErrorTelling = {}): void => {
    const requestId = newId('req');
    const languages = req.headers['accept-language'] ?? '';
    const json = errorAnswer(error, requestId, baseUrl);
    const answer = toldBy(area, json, error, { requestId, languages });
    for (const [name, value] of fixed) res.setHeader(name, value);
    res.setHeader('X-Request-Id', requestId);
    send(req, res, answer);
    metrics.served(req.method ?? 'GET', 'shed', answer.status, 0);
    metrics.turnedAway('crowded');
    refused += 1;
    if (!isTime()) return;
    const waiting = { reads: lines.reads.length, writes: lines.writes.length };
    log.warn({ refused, waiting }, 'more requests come than can be served');
    refused = 0;
  };
}

/** Counts callers that were admitted but got no connection, and logs which workspaces exceed their share. */
export function countTurns({ metrics, log }: Pick<SheddingParts, 'metrics' | 'log'>) {
  const isTime = nowAndThen();
  const refused = new Map<string, number>();
  return ({ reason, organizationId }: TurnRefused): void => {
    if (reason === 'gone') return;
    metrics.turnedAway(reason);
    if (reason !== 'share' || organizationId === null) return;
    refused.set(organizationId, (refused.get(organizationId) ?? 0) + 1);
    if (!isTime()) return;
    log.warn({ refused: Object.fromEntries(refused) }, 'a workspace asks more than its share');
    refused.clear();
  };
}

/** Whether something that happens continually should be logged again. */
function nowAndThen(): () => boolean {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - saidAt < SAID_EVERY_MS) return false;
    saidAt = now;
    return true;
  };
}
