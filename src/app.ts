import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { notFound } from './errors.ts';
import { clientIpBehind } from './http/callers/client-ip.ts';
import { keyOwners } from './http/callers/key-owners.ts';
import { callApi, type DoorDeps } from './http/door.ts';
import type { FrameState } from './http/framed.ts';
import { type Mount, pathTable, requireMethod } from './http/mount.ts';
import type { Route } from './http/route.ts';
import { frame, requestOf } from './http/serving/frame.ts';
import { type HttpMetrics, httpMetrics } from './http/serving/metrics.ts';
import { gateBefore, shedLoad } from './http/serving/shedding.ts';
import { routeTable } from './http/table.ts';
import type { Log } from './log.ts';
import { memberActor } from './members/actors.ts';

export interface AppDeps extends Omit<DoorDeps, 'memberActor' | 'keyOwner'> {
  readonly log: Log;
  readonly routes: readonly Route[];
  readonly mounts?: readonly Mount[];
  readonly trustedProxies?: readonly string[];
  readonly metrics?: HttpMetrics;
}

export interface App {
  readonly handler: RequestListener;
  readonly routes: readonly Route[];
}

/** The address that tokens are for, and everything below it. */
const API = /^\/api\/v1(?:\/|$)/;

/** The HTTP side, in the order a request passes through it: the gate, the frame, the mounts, the API. */
export function createApp(deps: AppDeps): App {
  const { log, baseUrl, metrics = httpMetrics(), trustedProxies = [] } = deps;
  const mountAt = pathTable(deps.mounts ?? []);
  const find = routeTable(deps.routes);
  const door: DoorDeps = { ...deps, memberActor, keyOwner: keyOwners(deps.database) };
  const lines = deps.database.turns;
  const comesTooLate = gateBefore(lines);
  const away = shedLoad({ lines, baseUrl, metrics, log });
  const koa = new Koa<FrameState>();
  koa.use(frame({ log, baseUrl, metrics, clientIp: clientIpBehind(trustedProxies) }));
  koa.use(async (ctx, next) => {
    const { path, search } = splitUrl(ctx.req.url ?? '/');
    const mounted = mountAt(path);
    if (mounted) {
      const { place: mount, params } = mounted;
      Object.assign(ctx.state, { route: mount.path, params, area: mount });
      requireMethod(mount, ctx.method);
      return mount.handle(ctx, next);
    }
    if (!API.test(path)) throw notFound('address');
    const { req, res, state } = ctx;
    const method = req.method ?? 'GET';
    const exchange = { req, res, method, path, search, request: requestOf(ctx) };
    state.answer = await callApi(door, exchange, () => {
      const match = find(exchange.method, path);
      state.route = match.route.path;
      return match;
    });
  });
  // The frame has answered every exception; what remains are callers that disconnected.
  koa.on('error', (error) => log.debug({ err: error }, 'connection lost'));
  const handle = koa.callback();
  const handler: RequestListener = (req, res) => {
    const late = comesTooLate(req.method);
    const mount = late ? mountAt(splitUrl(req.url ?? '/').path)?.place : undefined;
    if (!late || mount?.always) void handle(req, res);
    else away(req, res, mount);
  };
  return { routes: deps.routes, handler };
}

/** Path and query as they were sent. A proxy may send a full address; its host is not trusted. */
function splitUrl(url: string): { path: string; search: string } {
  const own = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = own.indexOf('?');
  return at === -1
    ? { path: own, search: '' }
    : { path: own.slice(0, at), search: own.slice(at + 1) };
}
