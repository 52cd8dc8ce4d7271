import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Line } from '../../db/line.ts';
import { patienceOf, WAIT_MS } from '../../db/patience.ts';
import type { TurnRefused } from '../../db/turns.ts';
import { unavailable } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Log } from '../../log.ts';
import { errorAnswer, pageAnswer, send } from '../answer.ts';
import type { ErrorPage } from '../mount.ts';
import type { HttpMetrics } from './metrics.ts';
import { securityHeaders } from './security-headers.ts';

const SAID_EVERY_MS = 10_000;

/** Those who wait for a connection to come in and read, and to change something. */
interface Lines {
  readonly reads: Line;
  readonly writes: Line;
}

/**
 * Whoever comes when the lines are too long is told at once to come later, which leaves the time to those who are in.
 * Of those who wait for the share of their own workspace they know nothing: these are refused by their turn.
 *
 * @param now milliseconds of a clock that never goes back
 * @returns whether a request of that method had better come later
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
    // Everybody comes in by a connection to read; of who is still on the way there, the line of writers knows nothing.
    return toRead > WAIT_MS.reads || tooLong.writes(writes.wait(), moment);
  };
}

interface TurningAway {
  readonly lines: Lines;
  readonly baseUrl: string;
  readonly metrics: Pick<HttpMetrics, 'served' | 'turnedAway'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Answers 503 with `Retry-After`, for as little as an answer can cost: many are turned away when there is least time.
 * Where a person looks at the answer it is `errorPage`.
 */
export function turnAway({ lines, baseUrl, metrics, log }: TurningAway) {
  const error = unavailable('More requests come than can be served. Try again shortly.');
  const fixed = securityHeaders(baseUrl);
  const isTime = nowAndThen();
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
    metrics.turnedAway('crowded');
    refused += 1;
    if (!isTime()) return;
    const waiting = { reads: lines.reads.length, writes: lines.writes.length };
    log.warn({ refused, waiting }, 'more requests come than can be served');
    refused = 0;
  };
}

/** Counts who was let in and got no connection, and says which workspaces ask more than their share. */
export function countTurns({ metrics, log }: Pick<TurningAway, 'metrics' | 'log'>) {
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

/** Whether what happens all the time is to be said again. */
function nowAndThen(): () => boolean {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - saidAt < SAID_EVERY_MS) return false;
    saidAt = now;
    return true;
  };
}
