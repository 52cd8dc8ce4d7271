import { describe, expect, it } from '@jest/globals';
import { ERROR_STATUS } from '../../src/errors.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { errorCodes } from '../../src/http/openapi/refusals.ts';
import { documentedPath } from '../support/every-route.ts';
import { noteRoutes } from '../support/notes.ts';

const document = openApiDocument(noteRoutes, 'https://api.example.com');
// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
const paths = document.paths as Record<string, any>;

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
const at = (ref: string): any =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], document);

/** What an operation answers, by status, with shared answers looked up. */
const answersOf = ({ responses }: { responses: typeof paths }): typeof paths =>
  Object.fromEntries(
    Object.entries(responses).map(([status, one]) => [status, one.$ref ? at(one.$ref) : one]),
  );

/** Every `$ref` anywhere in a value. */
function refs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as { $ref?: string }).$ref;
  return [...(own ? [own] : []), ...Object.values(value).flatMap(refs)];
}

describe('the OpenAPI document', () => {
  it('describes exactly the routes that are served, each with its scope', () => {
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries<{ 'x-required-scope': string }>(operations).map(
        ([method, operation]) => `${method.toUpperCase()} ${path} ${operation['x-required-scope']}`,
      ),
    );

    const served = noteRoutes.map(
      ({ method, path, scope }) => `${method} ${documentedPath({ path })} ${scope}`,
    );
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(document.openapi).toBe('3.1.1');
    expect(document.servers).toEqual([{ url: 'https://api.example.com/api' }]);
  });

  it('points to nothing that is not in it', () => {
    const missing = refs(document).filter((ref) => at(ref) === undefined);

    expect(missing).toEqual([]);
    expect(refs(document)).toContain('#/components/schemas/Error');
  });

  it('names every refusal of a route, by status, with its headers, its codes and an example of each', () => {
    const post = answersOf(paths['/v1/notes'].post);

    expect(Object.keys(post)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    const { content, headers, description } = post['422'];
    expect(description).toContain('`validation`: Fields or parameters are not valid.');
    expect(Object.keys(content['application/json'].examples)).toEqual([
      'validation',
      'idempotency_mismatch',
    ]);
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' });
    expect(Object.keys(headers)).toEqual([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
    ]);
    expect(Object.keys(post['429'].headers)).toContain('Retry-After');
    expect(Object.keys(post['503'].headers)).toContain('Retry-After');
    expect(Object.keys(post['401'].headers)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(answersOf(paths['/v1/notes/drafts'].post)['403'].description).toContain(
      'oauth_required',
    );
  });

  it('gives every error code an example that opens its own page', () => {
    const examples = document.components?.examples as typeof paths;

    expect(Object.keys(examples)).toEqual(Object.keys(ERROR_STATUS));
    for (const [code, { value }] of Object.entries(examples)) {
      expect(value.error.code).toBe(code);
      expect(value.error.doc_url).toBe(`https://api.example.com/docs/errors/${code}`);
    }
  });

  it('gives lists their paging, writes their key, and tells an optional body from a needed one', () => {
    const names = (operation: { parameters: { name: string; $ref?: string }[] }): string[] =>
      operation.parameters.map((one) => (one.$ref ? at(one.$ref) : one).name);

    expect(names(paths['/v1/notes'].get)).toEqual(['name', 'limit', 'cursor']);
    expect(names(paths['/v1/notes/{id}'].patch)).toEqual(['id', 'Idempotency-Key']);
    expect(paths['/v1/notes'].post.requestBody.required).toBe(true);
    expect(paths['/v1/notes/{id}/mark'].post.requestBody.required).toBe(false);
    expect(paths['/v1/notes/{id}/lock'].post.requestBody).toBeUndefined();
  });

  it('describes each webhook a customer can receive', () => {
    const webhooks = document.webhooks as typeof paths;

    expect(Object.keys(webhooks)).toContain('message.sent');
    const { requestBody, parameters } = webhooks['message.sent'].post;
    const { schema: named, example } = requestBody.content['application/json'];
    const schema = at(named.$ref);
    expect(parameters.map(({ $ref }: { $ref: string }) => at($ref).name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(example.type).toBe('message.sent');
    expect(schema.required).toEqual([
      'id',
      'type',
      'version',
      'timestamp',
      'organization_id',
      'data',
    ]);
  });

  it('lists a route’s own codes beside the shared ones', () => {
    const [first] = noteRoutes;
    if (!first) throw new TypeError('no routes');

    expect(errorCodes({ ...first, errors: ['unknown_member'] })).toContain('unknown_member');
    expect(errorCodes(first)).not.toContain('unknown_member');
  });
});
