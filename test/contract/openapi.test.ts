import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { TAG_DESCRIPTIONS } from '../../src/http/openapi/tags.ts';
import { documentedPath, everyRoute } from '../support/every-route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
type Json = any;

// Through text, as whoever reads /openapi.json has it.
const document: Json = JSON.parse(
  JSON.stringify(openApiDocument(everyRoute, 'https://api.example.com')),
);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Operation {
  readonly name: string;
  readonly operation: Json;
}

const operationsIn = (paths: Json): Operation[] =>
  Object.entries<Json>(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: item[method],
    })),
  );

const served = operationsIn(document.paths);
const hooks = operationsIn(document.webhooks);

const pointed = (value: Json): Json =>
  value?.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, part: string) => at?.[part], document)
    : value;

const ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema(document, 'api.json');

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

/** Schemas point into the document: they are compiled as a part of it, each once. */
function problems(schema: Json, value: Json): Json[] {
  const rooted = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api.json#/');
  const check = compiled.get(rooted) ?? ajv.compile(JSON.parse(rooted));
  compiled.set(rooted, check);
  return check(value) ? [] : (check.errors ?? []);
}

interface Shown {
  readonly where: string;
  readonly schema: Json;
  readonly value: Json;
}

/** Every example beside a schema, in bodies and answers. */
function examplesOf({ name, operation }: Operation): Shown[] {
  const bodies: [string, Json][] = [
    ['body', operation.requestBody],
    ...Object.entries<Json>(operation.responses),
  ];
  return bodies.flatMap(([where, body]) =>
    Object.values<Json>(pointed(body)?.content ?? {}).flatMap(({ schema, example, examples }) => [
      ...(example === undefined ? [] : [{ where: `${name} ${where}`, schema, value: example }]),
      ...Object.entries<Json>(examples ?? {}).map(([code, one]) => ({
        where: `${name} ${where} ${code}`,
        schema,
        value: pointed(one).value,
      })),
    ]),
  );
}

describe('the document of the whole API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();

    const { valid, errors } = await validator.validate(structuredClone(document));

    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe('3.1');
  });

  it('holds every route of the table and nothing else', () => {
    const routes = everyRoute.map((route) => `${route.method} ${documentedPath(route)}`);

    expect(served.map(({ name }) => name).toSorted()).toEqual(routes.toSorted());
  });

  it('leads an app to the authorization server, with every scope that an operation asks for', () => {
    const { oauth2 } = document.components.securitySchemes;
    const { scopes, ...addresses } = oauth2.flows.authorizationCode;
    const asked = served.flatMap(({ operation }) => operation.security.at(-1).oauth2);

    expect(addresses).toEqual({
      authorizationUrl: 'https://api.example.com/api/auth/oauth2/authorize',
      tokenUrl: 'https://api.example.com/api/auth/oauth2/token',
      refreshUrl: 'https://api.example.com/api/auth/oauth2/token',
    });
    expect(Object.keys(scopes)).toEqual([...SCOPE_NAMES, 'offline_access']);
    expect(Object.keys(scopes)).toEqual(expect.arrayContaining(asked));
    expect(scopes['campaigns:send']).toContain('`send_campaign`');
  });

  it('describes no group of operations that is empty', () => {
    const names = document.tags.map(({ name }: Json) => name);

    expect(names.toSorted()).toEqual(Object.keys(TAG_DESCRIPTIONS).toSorted());
  });

  it('compiles every schema', () => {
    const names = Object.keys(document.components.schemas);

    for (const name of names) ajv.compile({ $ref: `api.json#/components/schemas/${name}` });
    expect(names).toEqual(expect.arrayContaining(['Contact', 'Campaign', 'Conversation', 'Error']));
  });

  it.each([...served, ...hooks].map((one) => [one.name, one] as const))(
    '%s shows examples that pass their own schemas, of every body and answer',
    (_, one) => {
      const shown = examplesOf(one);
      const { requestBody, responses } = one.operation;
      // A form with a file has nothing to show: its bytes are no text.
      const bodies = [requestBody, ...Object.values<Json>(responses)].flatMap(
        (body) => pointed(body)?.content?.['application/json'] ?? [],
      );

      expect(bodies.filter(({ example, examples }) => !example && !examples)).toEqual([]);
      expect(
        shown.flatMap(({ where, schema, value }) =>
          problems(schema, value).map(({ instancePath, message }) => ({
            where,
            instancePath,
            message,
          })),
        ),
      ).toEqual([]);
    },
  );

  it.each(served.map(({ name, operation }) => [name, operation] as const))(
    '%s names its scope, permission, tag and headers',
    (_, operation) => {
      const ok = Object.entries<Json>(operation.responses).filter(([status]) => status < '300');
      const tags = document.tags.filter(({ name }: Json) => operation.tags.includes(name));

      const scopes = [operation['x-required-scope']];
      const forApps = operation.description.includes('Only for apps');
      expect(operation.security).toEqual(
        forApps ? [{ oauth2: scopes }] : [{ apiKey: scopes }, { oauth2: scopes }],
      );
      expect(operation['x-required-permission']).toMatch(/^[a-z]+\.[a-z]+$/);
      expect(tags).toMatchObject([{ description: expect.stringMatching(/\S/) }]);
      expect(ok.length).toBeGreaterThan(0);
      expect(operation.operationId).toMatch(/^[a-z]+(_[a-z]+)+$/);
      for (const [, answer] of Object.entries<Json>(operation.responses))
        expect(Object.keys(pointed(answer).headers)).toContain('X-Request-Id');
      for (const [, answer] of ok)
        expect(Object.keys(answer.headers)).toEqual(
          expect.arrayContaining(['RateLimit', 'RateLimit-Policy']),
        );
    },
  );
});

describe('the webhooks of the document', () => {
  it('are the six of the specification, each with its headers', () => {
    expect(Object.keys(document.webhooks)).toEqual([
      'message.received',
      'message.sent',
      'conversation.closed',
      'contact.created',
      'stage.changed',
      'automation.failed',
    ]);
    for (const { operation } of hooks)
      expect(operation.parameters.map((one: Json) => pointed(one).name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
  });
});
