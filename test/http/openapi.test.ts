import { describe, expect, it } from '@jest/globals';
import { errorCodes, openApiDocument } from '../../src/http/openapi.ts';
import { noteRoutes } from '../support/notes.ts';

const document = openApiDocument(noteRoutes, 'https://api.example.com');
// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
const paths = document.paths as Record<string, any>;

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
      ({ method, path, scope }) => `${method} ${path.replace(':id', '{id}')} ${scope}`,
    );
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(document.openapi).toBe('3.1.1');
    expect(document.servers).toEqual([{ url: 'https://api.example.com/api' }]);
  });

  it('points to nothing that is not in it', () => {
    const missing = refs(document).filter((ref) => {
      const parts = ref.slice(2).split('/');
      return (
        parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document) ===
        undefined
      );
    });

    expect(missing).toEqual([]);
    expect(refs(document)).toContain('#/components/schemas/Error');
  });

  it('names every refusal of a route, by status, with the one error body', () => {
    const post = paths['/v1/notes'].post.responses;

    expect(Object.keys(post)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(post['422'].description).toBe('`validation`, `idempotency_mismatch`');
    expect(post['429'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Error',
    });
    expect(post['429'].headers).toHaveProperty('Retry-After');
    expect(paths['/v1/notes/drafts'].post.responses['403'].description).toContain('oauth_required');
  });

  it('gives lists their paging, writes their key, and tells an optional body from a needed one', () => {
    const names = (operation: { parameters: { name: string }[] }): string[] =>
      operation.parameters.map(({ name }) => name);

    expect(names(paths['/v1/notes'].get)).toEqual(['name', 'limit', 'cursor']);
    expect(names(paths['/v1/notes/{id}'].patch)).toEqual(['id', 'Idempotency-Key']);
    expect(paths['/v1/notes'].post.requestBody.required).toBe(true);
    expect(paths['/v1/notes/{id}/mark'].post.requestBody.required).toBe(false);
    expect(paths['/v1/notes/{id}/lock'].post.requestBody).toBeUndefined();
  });

  it('describes each webhook a customer can receive', () => {
    const webhooks = document.webhooks as typeof paths;

    expect(Object.keys(webhooks)).toContain('message.sent');
    const { schema } = webhooks['message.sent'].post.requestBody.content['application/json'];
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
