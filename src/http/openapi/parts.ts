import { z } from 'zod';
import 'zod-openapi';
import { ERROR_CODES } from '../error-guide/guide.ts';
import { IDEMPOTENCY_KEY } from '../idempotency.ts';

const problem = z
  .strictObject({
    path: z.string().meta({ description: 'Such as `fields[2].label`.' }),
    rule: z
      .string()
      .meta({ description: 'Stable; branch on it. `/docs/errors/validation` lists them all.' }),
    message: z.string(),
    limit: z.number().optional(),
    allowed: z.array(z.union([z.string(), z.number()])).optional(),
    which: z
      .array(z.union([z.string(), z.number()]))
      .optional()
      .meta({
        description: 'Which of several in the field: variables, columns of a file, a line.',
      }),
  })
  .meta({ id: 'FieldProblem', description: 'One thing that is wrong with the input.' });

export const errorBody = z
  .strictObject({
    error: z.strictObject({
      code: z
        .enum(ERROR_CODES)
        .meta({ id: 'ErrorCode', description: 'Stable; branch on it. New codes may be added.' }),
      message: z.string().meta({ description: 'A sentence for people; it may change.' }),
      details: z
        .union([z.array(problem), z.record(z.string(), z.unknown())])
        .optional()
        .meta({
          description:
            'A list of problems for `validation`, otherwise an object; left out when empty.',
        }),
      request_id: z.string().meta({ description: 'Also in `X-Request-Id`; the service logs it.' }),
      doc_url: z.string().meta({ description: 'The page about this code.' }),
    }),
  })
  .meta({ id: 'Error', description: 'Every refusal has this shape.' });

export const EXAMPLE_KEY = '0b0e2a0a-6f5b-4c0f-9a7e-0f3c2f1f9a51';

export const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(200)
    .regex(IDEMPOTENCY_KEY)
    .optional()
    .meta({
      param: { id: 'IdempotencyKey' },
      description:
        'Makes repeating the request safe: for 24 hours, the same key from the same API key, or connection of an app, gets the first answer again, with `Idempotent-Replayed: true`.',
      example: EXAMPLE_KEY,
    }),
});

const oneId = (name: string, noun: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .meta({ param: { id: name }, description: `The id of the ${noun}.` });

const PATH_IDS: Readonly<Record<string, z.ZodType>> = {
  id: oneId('Id', 'record'),
  delivery_id: oneId('DeliveryId', 'delivery'),
  run_id: oneId('RunId', 'run'),
};

/** The ids in a path: `:id`, `:delivery_id`. */
export function pathIds(path: string): { path?: z.ZodObject } {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, idCalled(name)]))) };
}

function idCalled(name: string): z.ZodType {
  const found = PATH_IDS[name];
  if (!found) throw new TypeError(`The document does not know the id ${name}.`);
  return found;
}

/** The bytes of a file, as an answer. */
export const fileBytes = z.string().meta({ override: { type: 'string', format: 'binary' } });

/** The bytes of a file, in a form. */
export const fileOf = ({ maxBytes, about = '' }: { maxBytes: number; about?: string }) =>
  z.string().meta({
    override: { type: 'string', format: 'binary' },
    description: `At most ${maxBytes} bytes. ${about}`.trim(),
  });

export const paging = {
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(50)
    .meta({ param: { id: 'Limit' }, description: 'Records on a page.' }),
  cursor: z
    .string()
    .optional()
    .meta({
      param: { id: 'Cursor' },
      description: 'The `next_cursor` of the previous page, with the same filters.',
    }),
};

const requestId = {
  'X-Request-Id': z.string().meta({
    header: { id: 'RequestId' },
    description: 'Identifies this request in the log of the service.',
    example: 'req_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
  }),
};

const quota = {
  RateLimit: z.string().meta({
    header: { id: 'RateLimit' },
    description: 'Requests left (`r`), and seconds until more become available (`t`).',
    example: '"default";r=598;t=60',
  }),
  'RateLimit-Policy': z.string().meta({
    header: { id: 'RateLimitPolicy' },
    description: 'Requests (`q`) in a window of seconds (`w`).',
    example: '"default";q=600;w=60',
  }),
};

const retryAfter = z
  .string()
  .meta({ header: { id: 'RetryAfter' }, description: 'Seconds to wait.', example: '1' });

const idempotentReplayed = z.literal('true').meta({
  header: { id: 'IdempotentReplayed' },
  description: 'The answer repeats the first one to this Idempotency-Key.',
});

/** Headers of a successful answer. */
export const success = z.object({ ...requestId, ...quota });

/** Headers of a successful answer to a call that accepts an Idempotency-Key. */
export const replayed = success.extend({ 'Idempotent-Replayed': idempotentReplayed.optional() });

const challenge = z.string().meta({
  header: { id: 'WwwAuthenticate' },
  description:
    'The scheme to authenticate by, where tokens come from (`resource_metadata`), and what was wrong with the one that was sent.',
  example:
    'Bearer error="invalid_token", resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/api/v1"',
});

const scopeChallenge = z.string().meta({
  header: { id: 'InsufficientScope' },
  description: 'If a scope was missing: the scope to request.',
  example: 'Bearer error="insufficient_scope", scope="contacts:read"',
});

/** Headers of a refusal, by status. */
export function refusedHeaders(status: number, isWrite: boolean): z.ZodObject {
  if (status === 401) return z.object({ ...requestId, 'WWW-Authenticate': challenge });
  if (status === 429) return z.object({ ...requestId, ...quota, 'Retry-After': retryAfter });
  if (status === 503) return z.object({ ...requestId, 'Retry-After': retryAfter });
  const told = status === 403 ? { 'WWW-Authenticate': scopeChallenge.optional() } : {};
  const headers =
    status < 500 ? z.object({ ...requestId, ...quota, ...told }) : z.object(requestId);
  if (status >= 500 || !isWrite) return headers;
  const repeated = headers.extend({ 'Idempotent-Replayed': idempotentReplayed.optional() });
  return status === 409 ? repeated.extend({ 'Retry-After': retryAfter.optional() }) : repeated;
}
