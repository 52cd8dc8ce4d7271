import type Koa from 'koa';
import type { FrameState } from './frame.ts';

/** An area beside the API, inside the same frame. It answers in Koa's way and reads its body itself. */
export interface Mount {
  /** Exact: `/healthz`. */
  readonly path: string;
  readonly handle: Koa.Middleware<FrameState>;
}
