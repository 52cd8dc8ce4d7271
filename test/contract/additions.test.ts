import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { everyRoute } from '../support/every-route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
type Json = any;

const document: Json = openApiDocument(everyRoute, 'http://api.test');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'api');

/** The schema and the example of a body, wherever the document has one. */
const bodies = (at: readonly string[], holder: Json): [string, Json][] => {
  const { schema, example } = holder?.content?.['application/json'] ?? {};
  if (!schema || example === undefined) return [];
  const place = [...at, 'content', 'application/json', 'schema'];
  const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  return [[`api#/${encodeURI(pointer)}`, example]];
};

const operations = (area: 'paths' | 'webhooks'): [string[], Json][] =>
  Object.entries<Json>(document[area]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): [string[], Json] => [
      [area, path, method],
      operation,
    ]),
  );

const requests = operations('paths').flatMap(([at, { requestBody }]) =>
  bodies([...at, 'requestBody'], requestBody),
);
const answers = operations('paths').flatMap(([at, { responses }]) =>
  Object.entries<Json>(responses).flatMap(([status, answer]) =>
    bodies([...at, 'responses', status], answer),
  ),
);
const events = operations('webhooks').flatMap(([at, { requestBody }]) =>
  bodies([...at, 'requestBody'], requestBody),
);

/** Not records: maps with keys of the caller, and the language of conditions, which is the same as in requests. */
const NO_RECORDS = ['custom', 'answers', 'when', 'conditions'];

/** The same a year later: each record has a field more. */
const later = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(later);
  if (typeof value !== 'object' || value === null) return value;
  const grown = Object.entries(value).map(([name, each]) => [
    name,
    NO_RECORDS.includes(name) ? each : later(each),
  ]);
  return Object.fromEntries([...grown, ['added_later', 1]]);
};

const fits = ($ref: string, value: Json): unknown => {
  const check = ajv.compile({ $ref });
  return check(value) || check.errors;
};

describe('a program that checks by the published schemas', () => {
  it.each(answers)('takes an answer with fields that were added since: %s', (ref, example) => {
    expect(fits(ref, example)).toBe(true);
    expect(fits(ref, later(example))).toBe(true);
  });

  it.each(events)('takes an event with fields that were added since: %s', (ref, example) => {
    expect(fits(ref, example)).toBe(true);
    expect(fits(ref, later(example))).toBe(true);
  });

  it.each(requests)('sends no field that is not known: %s', (ref, example) => {
    expect(fits(ref, example)).toBe(true);
    expect(fits(ref, { ...example, added_later: 1 })).not.toBe(true);
  });
});
