import { openApiDocument } from '../http/openapi/document.ts';
import type { Route } from '../http/route.ts';

/** The parts of an OpenAPI document that the pages show. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}

type OrRef<T> = T | { readonly $ref: string };

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Any one of them is enough: `{apiKey: […]}`, `{oauth2: […]}`. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OrRef<Parameter>[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, OrRef<Answer>>>;
}

export interface Described {
  /** `POST` */
  readonly method: string;
  /** `/v1/contacts/{id}`, or the type of a webhook event. */
  readonly path: string;
  readonly operation: Operation;
}

interface Written {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The document, prepared for the pages. */
export interface ApiDocument extends Written {
  readonly operations: readonly Described[];
  readonly events: readonly Described[];
  /** Resolves a reference; returns anything else as it is. */
  resolve<T>(value: OrRef<T>): T;
}

/** Reads the OpenAPI document by operation and event, as the pages need it. */
export function readDocument(routes: readonly Route[], baseUrl: string): ApiDocument {
  const written = JSON.parse(JSON.stringify(openApiDocument(routes, baseUrl))) as Written;
  return {
    ...written,
    operations: operationsIn(written.paths),
    events: operationsIn(written.webhooks),
    resolve: (value) => {
      const { $ref } = value as { $ref?: string };
      return ($ref === undefined ? value : at(written, $ref)) as never;
    },
  };
}

const at = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce((value, part) => (value as Readonly<Record<string, unknown>>)[part], document);

const operationsIn = (paths: Written['paths']): Described[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
