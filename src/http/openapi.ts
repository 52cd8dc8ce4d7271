import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import { webhookEvents } from '../outbox/events.ts';
import type { Mount } from './mount.ts';
import {
  errorBody,
  idempotencyKey,
  paging,
  refused,
  refusedForNow,
  replayed,
  success,
} from './openapi-parts.ts';
import { needsBody, type Route } from './route.ts';

/** Serves the OpenAPI 3.1 document of the very routes that are served. It is made on first use. */
export function openApiMount(routes: readonly Route[], baseUrl: string): Mount {
  let text: string | undefined;
  return {
    path: '/openapi.json',
    handle: (ctx) => {
      text ??= JSON.stringify(openApiDocument(routes, baseUrl));
      ctx.type = 'application/json';
      ctx.body = text;
    },
  };
}

export const openApiDocument = (routes: readonly Route[], baseUrl: string) =>
  createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Workspace Messaging',
        version: '1.0.0',
        description:
          'Business messaging over WhatsApp numbers. Additive changes may come at any time: ignore fields and enum values you do not know.',
      },
      servers: [{ url: `${baseUrl}/api` }],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk_live_…' },
        },
      },
      tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
      paths: pathsOf(routes),
      webhooks: webhooks(),
    },
    { allowEmptySchema: { custom: true, transform: true } },
  );

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return paths;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, tag, scope, example } = route;
  const hasId = route.path.includes('/:id');
  const query = queryOf(route);
  return {
    operationId,
    summary,
    tags: [tag],
    description: `Needs the scope \`${scope}\`.`,
    'x-required-scope': scope,
    requestParams: {
      ...(hasId ? { path: z.object({ id: z.string().min(1).max(100) }) } : {}),
      ...(query ? { query } : {}),
      ...(route.kind === 'write' ? { header: idempotencyKey } : {}),
    },
    ...(route.kind === 'write' && route.body
      ? {
          requestBody: {
            required: needsBody(route),
            content: {
              'application/json': {
                schema: route.body,
                ...(example.request === undefined ? {} : { example: example.request }),
              },
            },
          },
        }
      : {}),
    responses: { ...answer(route), ...refusals(errorCodes(route)) },
  };
}

function queryOf(route: Route): z.ZodObject | undefined {
  if (route.kind === 'list') return z.object({ ...route.query?.shape, ...paging });
  return route.kind === 'read' ? route.query : undefined;
}

function answer(route: Route): ZodOpenApiResponsesObject {
  const schema =
    route.kind === 'list'
      ? z.strictObject({ data: z.array(route.item), next_cursor: z.string().nullable() })
      : route.reply;
  const headers = route.kind === 'write' ? replayed : success;
  const content = { 'application/json': { schema, example: exampleOf(route) } };
  const status = route.kind === 'write' ? route.status : 200;
  return { [`${status as 200}`]: { description: route.summary, headers, content } };
}

/** A list's example is a page, or one item of it. */
function exampleOf({ kind, example: { response } }: Route): unknown {
  const isPage = typeof response === 'object' && response !== null && 'data' in response;
  return kind === 'list' && !isPage ? { data: [response], next_cursor: null } : response;
}

/** Every code this route can answer: what all routes share, what its kind adds, and its own. */
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
    add('invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_mismatch');
    add('payload_too_large', 'unsupported_media_type');
    if (route.apiKeys === false) add('oauth_required');
  }
  add(...(route.errors ?? []));
  return [...codes];
}

function refusals(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, own]) => [
      String(status),
      {
        description: own.map((code) => `\`${code}\``).join(', '),
        headers: status === 409 || status === 429 || status === 503 ? refusedForNow : refused,
        content: { 'application/json': { schema: errorBody } },
      },
    ]),
  );
}

/** What a customer's server receives: the catalogue that the outbox itself is checked against. */
function webhooks(): ZodOpenApiPathsObject {
  const entries = Object.entries(webhookEvents).map(([type, data]) => {
    const envelope = z.strictObject({
      id: z.string(),
      type: z.literal(type),
      version: z.literal(1),
      timestamp: z.iso.datetime(),
      organization_id: z.string(),
      data,
    });
    const header = z.object({
      'webhook-id': z.string(),
      'webhook-timestamp': z.string(),
      'webhook-signature': z.string(),
    });
    const post: ZodOpenApiOperationObject = {
      summary: `The event ${type}`,
      security: [],
      requestParams: { header },
      requestBody: { content: { 'application/json': { schema: envelope } } },
      responses: {
        '2XX': { description: 'Anything in the 200s within 10 seconds; the body is ignored.' },
      },
    };
    return [type, { post }] as const;
  });
  return Object.fromEntries(entries);
}
