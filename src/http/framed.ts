import type Koa from 'koa';
import type { TurnRefused } from '../db/connections/turns.ts';
import type { Answer } from './answer.ts';
import type { ErrorTelling } from './error-telling.ts';

/** The contents of Koa's `ctx.state`, in every area. */
export interface FrameState {
  requestId: string;
  /** The pattern of the served request, for metrics; never the path itself, which contains ids. */
  route: string;
  ip: string | null;
  /** Set by the API; other areas answer through Koa. */
  answer?: Answer;
  /** The values of the names in a mount's path. */
  params?: Readonly<Record<string, string>>;
  /** Counts a caller that got no connection, in areas that answer such refusals themselves. */
  countTurn: (refused: TurnRefused) => void;
  /** The area that serves the request, unless it is the API. */
  area?: ErrorTelling;
}

/** A request on its way through one of the mounts. */
export type Framed = Koa.ParameterizedContext<FrameState>;
