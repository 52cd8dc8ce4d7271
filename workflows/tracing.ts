import type { Payload } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

const HEADER = 'traceparent';

/**
 * Passes the trace that started a workflow, or woke it last, on to its activities and to its next run. It is only in
 * a header, so no command of a history depends on it. A workflow has no span of its own, because it may live for
 * years.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let last: Payload | undefined;
  const heard = <T extends { readonly headers: Record<string, Payload> }>(input: T): T => {
    last = input.headers[HEADER] ?? last;
    return input;
  };
  const told = <T extends { readonly headers: Record<string, Payload> }>(input: T): T =>
    last ? { ...input, headers: { ...input.headers, [HEADER]: last } } : input;
  return {
    inbound: [
      {
        execute: (input, next) => next(heard(input)),
        handleSignal: (input, next) => next(heard(input)),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(told(input)),
        continueAsNew: (input, next) => next(told(input)),
      },
    ],
  };
};
