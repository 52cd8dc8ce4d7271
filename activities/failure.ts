import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { AppError } from '../src/errors.ts';

/** The only place where an AppError becomes a Temporal failure. */
export const failureInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input: ActivityExecuteInput, next): Promise<unknown> {
    try {
      return await next(input);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: !error.retryable,
        cause: error,
      });
    }
  },
};
