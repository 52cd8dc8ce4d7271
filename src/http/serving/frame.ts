import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { RequestInfo } from '../../context.ts';
import { TurnRefused } from '../../db/connections/turns.ts';
import { AppError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Log } from '../../log.ts';
import { inSpan } from '../../tracing/spans.ts';
import { type Answer, errorAnswer, send, toldBy } from '../answer.ts';
import { countHeader } from '../callers/authenticate.ts';
import type { ClientIp } from '../callers/client-ip.ts';
import { toAppError } from '../failures.ts';
import type { Framed, FrameState } from '../framed.ts';
import { goneFrom } from './gone.ts';
import type { HttpMetrics } from './metrics.ts';
import { securityHeaders } from './security-headers.ts';
import { countTurns } from './shedding.ts';

export interface FrameDeps {
  readonly baseUrl: string;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly clientIp: ClientIp;
}

/** Where a call came from, as records store it. */
export const requestOf = ({
  state,
  req,
  res,
}: Pick<Framed, 'state' | 'req' | 'res'>): RequestInfo => ({
  id: state.requestId,
  ip: state.ip,
  userAgent: req.headers['user-agent']?.slice(0, 300) || null,
  gone: goneFrom(res),
});

/** Requested every few seconds by monitoring: neither traced nor counted. What a probe hears is no answer to a caller. */
const MONITORING = /^\/(healthz|readyz|metrics)(\?|$)/;
const isMonitoring = ({ url = '' }: IncomingMessage): boolean => MONITORING.test(url);

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Around everything: our own request id, the security headers, a check of Host, and one place where exceptions become
 * answers.
 */
export function frame(deps: FrameDeps): Koa.Middleware<FrameState> {
  const fixed = securityHeaders(deps.baseUrl);
  const countTurn = countTurns(deps);
  return async (ctx, next) => {
    if (isMonitoring(ctx.req)) return served(ctx, next);
    const elsewhere = ctx.req.headers['traceparent'];
    const span = { causes: [], kind: 'SERVER', elsewhere: String(elsewhere ?? '') } as const;
    return inSpan('request', span, async (made) => {
      await served(ctx, next);
      made?.updateName(`${ctx.method} ${ctx.state.route}`);
      made?.setAttributes({
        'http.request.method': ctx.method,
        'http.route': ctx.state.route,
        'http.response.status_code': ctx.res.statusCode,
        'wms.request': ctx.state.requestId,
      });
    });
  };

  async function served(ctx: Framed, next: Koa.Next): Promise<void> {
    const started = performance.now();
    const requestId = newId('req');
    ctx.state.requestId = requestId;
    ctx.state.route = 'unmatched';
    ctx.state.countTurn = countTurn;
    for (const [name, value] of fixed) ctx.res.setHeader(name, value);
    ctx.res.setHeader('X-Request-Id', requestId);
    try {
      ctx.state.ip = deps.clientIp(ctx.req);
      requireHost(ctx.req);
      await next();
      answerWith(ctx, ctx.state.answer);
    } catch (error) {
      if (error instanceof TurnRefused) countTurn(error);
      // Also of an answer that could not be written, such as one with a header that none may be.
      answerWith(ctx, failed(deps, ctx, error));
    }
    finished(deps, ctx, performance.now() - started);
  }
}

/** Areas without an answer here leave theirs to Koa. */
function answerWith(ctx: Framed, answer: Answer | undefined): void {
  if (!answer) return;
  send(ctx.req, ctx.res, answer);
  ctx.respond = false;
}

/** Nothing is ever derived from Host, but a client that sends two of them wants two servers to disagree. */
function requireHost(req: IncomingMessage): void {
  if (req.httpVersionMajor < 1) throw new AppError('bad_request', 'HTTP/0.9 is not spoken here.');
  const { host } = req.headers;
  if (host === undefined && req.httpVersion === '1.0') return;
  if (host === undefined || !HOST.test(host) || countHeader(req, 'host') > 1)
    throw new AppError('bad_request', 'The Host header is missing, given twice or malformed.');
}

function failed({ log, baseUrl }: FrameDeps, { state, req }: Framed, thrown: unknown): Answer {
  const error = toAppError(thrown);
  const about = { request_id: state.requestId, route: state.route };
  if (error.status >= 500 && !foreseen(error))
    log.error({ ...about, err: error.cause ?? error }, 'request failed');
  else if (error.cause) log.warn({ ...about, err: error.cause }, 'the database refused a value');
  else if (error.status === 401 || error.status === 403 || error.status === 429)
    log.info({ ...about, code: error.code, ip: state.ip }, 'request refused');
  const tokenSent = /^bearer /i.test(req.headers.authorization ?? '');
  const answer = errorAnswer(error, state.requestId, baseUrl, tokenSent);
  const seen = { requestId: state.requestId, languages: req.headers['accept-language'] ?? '' };
  return state.area ? toldBy(state.area, answer, error, seen) : answer;
}

/** Missing records, and refusals that are counted where they are made. */
const foreseen = ({ code, cause }: AppError): boolean =>
  code === 'not_implemented' || (code === 'unavailable' && cause === undefined);

function finished({ log, metrics }: FrameDeps, ctx: Framed, ms: number): void {
  const { requestId, route } = ctx.state;
  const { statusCode } = ctx.res;
  if (!isMonitoring(ctx.req)) metrics.served(ctx.method, route, statusCode, ms / 1000);
  if (REFUSALS.has(statusCode)) countRefusal(log, metrics, statusCode, ctx.state.ip);
  if (log.isLevelEnabled('debug'))
    log.debug(
      { request_id: requestId, method: ctx.method, route, status: statusCode, ms },
      'request served',
    );
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);
/** From here on someone is guessing, or has a broken integration. */
const MANY_REFUSALS = 100;

/** Logged once a minute per address, with what is needed to block it at the proxy. */
function countRefusal(log: Log, metrics: HttpMetrics, status: number, ip: string | null): void {
  const count = metrics.refused(status, ip);
  if (count === MANY_REFUSALS)
    log.warn({ ip, refused: count }, 'one address is refused again and again');
}
