import { activityInfo } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { tracedBy } from '../src/temporal/tracing.ts';
import { inSpan } from '../src/tracing/spans.ts';

/** Each attempt at an activity is a span of the trace that started or last woke its workflow. */
export const tracingInterceptor: ActivityInboundCallsInterceptor = {
  execute(input, next) {
    const { activityType, attempt, workflowExecution, workflowType } = activityInfo();
    const options = {
      causes: [tracedBy(input.headers)],
      kind: 'CONSUMER' as const,
      attributes: {
        'temporal.workflow.type': workflowType ?? '',
        'temporal.workflow.id': workflowExecution?.workflowId ?? '',
        'temporal.attempt': attempt,
      },
    };
    return inSpan(`activity ${activityType}`, options, () => next(input));
  },
};
