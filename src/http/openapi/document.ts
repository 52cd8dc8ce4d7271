import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { permissionOf } from '../../access/scopes.ts';
import type { Mount } from '../mount.ts';
import { needsBody, type Route } from '../route.ts';
import { allowAdditions } from './additions.ts';
import { fileBytes, fileOf, idempotencyKey, paging, pathIds, replayed, success } from './parts.ts';
import { errorExamples, refusals } from './refusals.ts';
import { securityOf, securitySchemes } from './security.ts';
import { ABOUT, TAG_DESCRIPTIONS } from './tags.ts';
import { webhookPaths, webhookSchemas } from './webhooks.ts';

/** Serves the OpenAPI 3.1 document of the routes being served. It is made on first use. */
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

/** The whole API as one document, from which the reference, the client and the fuzzer are made. */
export const openApiDocument = (routes: readonly Route[], baseUrl: string) =>
  createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Workspace Messaging', version: '1.0.0', description: ABOUT },
      servers: [{ url: `${baseUrl}/api` }],
      security: [{ apiKey: [] }, { oauth2: [] }],
      components: {
        securitySchemes: securitySchemes(routes, baseUrl),
        schemas: webhookSchemas(),
        examples: errorExamples(baseUrl),
      },
      tags: tagsOf(routes),
      paths: pathsOf(routes),
      webhooks: webhookPaths(),
    },
    {
      allowEmptySchema: { custom: true, transform: true },
      override: ({ jsonSchema, io }) => {
        if (io === 'output') allowAdditions(jsonSchema);
      },
    },
  );

const tagsOf = (routes: readonly Route[]) =>
  [...new Set([...routes.map(({ tag }) => tag), 'Webhooks'])].toSorted().map((name) => {
    const description = TAG_DESCRIPTIONS[name];
    return description ? { name, description } : { name };
  });

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return paths;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, note, tag, scope, permission = permissionOf(scope) } = route;
  const query = queryOf(route);
  const requestBody = route.kind === 'write' ? bodyOf(route) : null;
  return {
    operationId,
    summary,
    tags: [tag],
    description: [accessNeeded(route), ...(note ? [note] : [])].join(' '),
    security: securityOf(route),
    'x-required-scope': scope,
    'x-required-permission': permission,
    requestParams: {
      ...pathIds(route.path),
      ...(query ? { query } : {}),
      ...(route.kind === 'write' ? { header: idempotencyKey } : {}),
    },
    ...(requestBody ? { requestBody } : {}),
    responses: { ...answer(route), ...refusals(route) },
  };
}

function accessNeeded(route: Route): string {
  const { scope, permission = permissionOf(scope) } = route;
  const needs = `Needs the scope \`${scope}\`; a person also needs the permission \`${permission}\`.`;
  if (route.kind !== 'write' || route.apiKeys !== false) return needs;
  return `${needs} Only for apps that act for a person: an API key is answered 403 \`oauth_required\`.`;
}

function bodyOf(route: Extract<Route, { kind: 'write' }>): ZodOpenApiRequestBodyObject | null {
  if (route.file) {
    const schema = z.strictObject({ ...route.body?.shape, file: fileOf(route.file) });
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  const { body: schema, example } = route;
  if (!schema) return null;
  const shown = example.request === undefined ? {} : { example: example.request };
  return { required: needsBody(route), content: { 'application/json': { schema, ...shown } } };
}

function queryOf(route: Route): z.ZodObject | undefined {
  if (route.kind === 'list') return z.object({ ...route.query?.shape, ...paging });
  return route.kind === 'read' ? route.query : undefined;
}

function answer(route: Route): ZodOpenApiResponsesObject {
  const schema =
    route.kind === 'list'
      ? z.strictObject({
          data: z.array(route.item),
          next_cursor: z
            .string()
            .nullable()
            .meta({ description: 'For the next page; null on the last one.' }),
        })
      : route.reply;
  const headers = route.kind === 'write' ? replayed : success;
  const content =
    route.kind === 'read' && route.file
      ? { '*/*': { schema: fileBytes } }
      : { 'application/json': { schema, example: exampleOf(route) } };
  const status = route.kind === 'write' ? route.status : 200;
  const existing = route.kind === 'write' ? route.existing : undefined;
  return {
    ...(existing ? { '200': { description: existing, headers, content } } : {}),
    [`${status as 200}`]: { description: route.summary, headers, content },
  };
}

/** A list's example is a page, or one item of it. */
function exampleOf({ kind, example: { response } }: Route): unknown {
  const isPage = typeof response === 'object' && response !== null && 'data' in response;
  return kind === 'list' && !isPage ? { data: [response], next_cursor: null } : response;
}
