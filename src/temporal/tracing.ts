import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { type Traceparent, traceparent } from '../tracing/spans.ts';

const HEADER = 'traceparent';

/** What a Temporal header carries; null without one. */
export function tracedBy(headers: Headers): Traceparent {
  const payload = headers[HEADER];
  return payload ? defaultPayloadConverter.fromPayload<string>(payload) : null;
}

/** Whoever is started or woken knows by which trace; `workflows/tracing.ts` hands it on to activities. */
export const tellingTrace: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next(withTrace(input)),
  signal: (input, next) => next(withTrace(input)),
  signalWithStart: (input, next) => next(withTrace(input)),
};

function withTrace<T extends { readonly headers: Headers }>(input: T): T {
  const now = traceparent();
  if (!now) return input;
  return {
    ...input,
    headers: { ...input.headers, [HEADER]: defaultPayloadConverter.toPayload(now) },
  };
}
