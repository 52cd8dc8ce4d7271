import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import { ERROR_CODES, errorGuide, exampleError } from '../error-guide/guide.ts';
import type { Route } from '../route.ts';
import { errorBody, refusedHeaders } from './parts.ts';

/** Every code this route can return: those common to all routes, those of its kind, and its own. */
export function errorCodes(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'bad_request',
    'unauthorized',
    'forbidden',
    'validation',
    'rate_limited',
    'internal',
    'unavailable',
  ]);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => void codes.add(code));
  if (route.path.includes('/:id')) add('not_found');
  if (route.kind === 'list') add('invalid_cursor');
  if (route.kind === 'write') {
    add('invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_mismatch', 'conflict');
    add('payload_too_large', 'unsupported_media_type', 'request_timeout');
    if (route.apiKeys === false) add('oauth_required');
  }
  add(...(route.errors ?? []));
  return [...codes];
}

/** One answer per status, with each code it can carry, the code's meaning, and an example. */
export function refusals(route: Route): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(errorCodes(route), (code) => ERROR_STATUS[code]);
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => [
      String(status),
      refusal(status, codes, route.kind === 'write'),
    ]),
  );
}

/** Answers common to many routes are written once, under `components.responses`. */
function refusal(
  status: number,
  codes: readonly ErrorCode[],
  isWrite: boolean,
): ZodOpenApiResponseObject {
  const name = [...codes].toSorted().join('-or-') + (isWrite && status < 500 ? '-to-a-write' : '');
  return remembered(name, () => ({
    id: name,
    description: codes.map((code) => `\`${code}\`: ${errorGuide[code].meaning}`).join('\n'),
    headers: refusedHeaders(status, isWrite),
    content: {
      'application/json': {
        schema: errorBody,
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }));
}

const known = new Map<string, ZodOpenApiResponseObject>();

/** The library recognises a shared answer by object identity. */
function remembered(name: string, make: () => ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
}

/** An example of every error, by code. */
export const errorExamples = (baseUrl: string) =>
  Object.fromEntries(
    ERROR_CODES.map((code) => [
      code,
      { summary: errorGuide[code].meaning, value: exampleError(code, baseUrl) },
    ]),
  );
