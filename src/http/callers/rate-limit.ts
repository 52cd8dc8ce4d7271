import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors.ts';

/** How many requests a credential may make in any 60 seconds (specification, Limits). */
export const REQUESTS_PER_WINDOW = 600;
const WINDOW_SECONDS = 60;
const POLICY = `"default";q=${REQUESTS_PER_WINDOW};w=${WINDOW_SECONDS}`;

/** The count by `wms.take_request`. */
export interface Quota {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until more quota becomes available. */
  readonly reset_s: number;
}

/** Reports the caller's quota on every answer, and refuses the request if none is left. */
export function applyQuota(res: ServerResponse, { allowed, remaining, reset_s }: Quota): void {
  res.setHeader('RateLimit-Policy', POLICY);
  res.setHeader('RateLimit', `"default";r=${remaining};t=${reset_s}`);
  if (allowed) return;
  throw new AppError(
    'rate_limited',
    `More than ${REQUESTS_PER_WINDOW} requests in ${WINDOW_SECONDS} seconds. Try again in ${reset_s} s.`,
    { limit: REQUESTS_PER_WINDOW, window_s: WINDOW_SECONDS, retry_after_s: reset_s },
  );
}
