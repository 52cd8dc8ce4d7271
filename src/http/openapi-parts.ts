import { z } from 'zod';
import 'zod-openapi';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';

export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z
        .enum(Object.keys(ERROR_STATUS) as ErrorCode[])
        .meta({ description: 'Stable; branch on it.' }),
      message: z.string().meta({ description: 'A sentence for people; it may change.' }),
      details: z
        .union([
          z.array(
            z.strictObject({
              path: z.string(),
              rule: z.string(),
              message: z.string(),
              limit: z.number().optional(),
              allowed: z.array(z.union([z.string(), z.number()])).optional(),
            }),
          ),
          z.record(z.string(), z.unknown()),
        ])
        .optional(),
      request_id: z.string(),
      doc_url: z.string(),
    }),
  })
  .meta({ id: 'Error', description: 'Every refusal has this shape.' });

export const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/)
    .optional()
    .meta({ description: 'The first answer to a key is repeated for 24 hours.' }),
});

export const paging = {
  limit: z.int().min(1).max(100).default(50),
  cursor: z.string().optional().meta({ description: 'The `next_cursor` of the previous page.' }),
};

const requestId = {
  'X-Request-Id': z
    .string()
    .meta({ header: { id: 'RequestId' }, description: 'Names this request in our logs.' }),
};

export const success = z.object({
  ...requestId,
  RateLimit: z.string().meta({
    header: { id: 'RateLimit' },
    description: 'Requests left, and seconds until more are.',
    example: '"default";r=598;t=60',
  }),
  'RateLimit-Policy': z.string().meta({
    header: { id: 'RateLimitPolicy' },
    description: 'The limit.',
    example: '"default";q=600;w=60',
  }),
});

export const replayed = success.extend({
  'Idempotent-Replayed': z
    .literal('true')
    .optional()
    .meta({ header: { id: 'IdempotentReplayed' }, description: 'This is a repeated answer.' }),
});

export const refused = z.object(requestId);
export const refusedForNow = refused.extend({
  'Retry-After': z
    .string()
    .optional()
    .meta({ header: { id: 'RetryAfter' }, description: 'Seconds.' }),
});
