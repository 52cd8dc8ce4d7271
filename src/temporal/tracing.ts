import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { type Traceparent, traceparent } from '../tracing/spans.ts';

const HEADER = 'traceparent';

/** The trace in a Temporal header; null without one. */
export function tracedBy(headers: Headers): Traceparent {
  const payload = headers[HEADER];
  return payload ? defaultPayloadConverter.fromPayload<string>(payload) : null;
}

/** Passes the trace to workflows that are started or signalled; `workflows/tracing.ts` passes it on to activities. */
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
