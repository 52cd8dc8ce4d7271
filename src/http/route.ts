import { z } from 'zod';
import type { Permission } from '../access/permissions.ts';
import type { Scope } from '../access/scopes.ts';
import type { Context, ReadContext } from '../context.ts';
import type { Sql } from '../db/sql.ts';
import type { ErrorCode } from '../errors.ts';
import type { IdPrefix } from '../ids.ts';
import type { Upload } from './body/spool.ts';

/** Where a page begins: after the last row of the previous one. `at` is set by lists sorted by a time. */
export interface Position {
  readonly id: string;
  readonly at: string | null;
}

/** A request for a page, after the cursor was checked. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly after: Position | null;
}

/** A list's answer; the door turns `next` into `next_cursor`. */
export interface PageOf<T> {
  readonly data: readonly T[];
  readonly next: Position | null;
}

interface Description {
  /** As in the specification: `/v1/contacts/:id`. The door serves it under `/api`. */
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  /** What callers must know besides, in sentences. */
  readonly note?: string;
  readonly tag: string;
  readonly scope: Scope;
  /** A permission narrower than the scope's own (specification, Scopes). */
  readonly permission?: Permission;
  /** The kind of record that `{id}` names: ids of another form are answered 404 without asking the database. */
  readonly id?: IdPrefix;
  /**
   * The kind of record of the path's second name, which is part of the first:
   * `/v1/webhooks/:id/deliveries/:delivery_id`.
   */
  readonly part?: IdPrefix;
  /** Error codes beyond those that every route can return. */
  readonly errors?: readonly ErrorCode[];
  readonly example: { readonly request?: unknown; readonly response: unknown };
}

type Shape = z.ZodObject;
type Infer<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

export interface ReadDefinition<R extends z.ZodType, Q extends Shape | undefined>
  extends Description {
  readonly query?: Q;
  readonly reply: R;
  /** Set by `download`: the answer is a file. */
  readonly file?: true;
  readonly handle: (
    ctx: ReadContext,
    input: { id: string; partId: string; query: Infer<Q> },
  ) => Promise<z.input<R>>;
}

/** A file to be sent. */
export interface Download {
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /**
   * @param read runs short transactions of the caller's workspace
   */
  readonly pieces: (
    read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  ) => AsyncIterable<Uint8Array>;
}

export interface DownloadDefinition extends Omit<Description, 'example'> {
  readonly handle: (ctx: ReadContext, input: { id: string }) => Promise<Download>;
}

export interface ListDefinition<R extends z.ZodType, Q extends Shape | undefined>
  extends Description {
  /** Filters besides `limit` and `cursor`; a cursor is bound to them. */
  readonly query?: Q;
  /** One item of the page. */
  readonly item: R;
  readonly handle: (
    ctx: ReadContext,
    input: { id: string; partId: string; query: Infer<Q>; page: PageRequest },
  ) => Promise<PageOf<z.input<R>>>;
}

export interface WriteDefinition<R extends z.ZodType, B extends Shape | undefined>
  extends Description {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: B;
  readonly reply: R;
  readonly status: 200 | 201;
  /** False for the draft endpoints that only OAuth tokens may call (specification). */
  readonly apiKeys?: boolean;
  /** The answer contains a secret, so the copy stored for idempotency is encrypted. */
  readonly secret?: boolean;
  /** Set by `upload`: the body is a form with one file of at most this size. */
  readonly file?: UploadedFile;
  /** When the call returns 200 instead of 201; the handler then returns an `Existing`. */
  readonly existing?: string;
  readonly handle: (
    ctx: Context,
    input: { id: string; partId: string; body: Infer<B> },
  ) => Promise<z.input<R> | Existing<z.input<R>>>;
}

interface UploadedFile {
  readonly maxBytes: number;
  /** What is in it, in sentences, for whoever calls. */
  readonly about?: string;
}

/** The answer of a call that found its work already done: 200 instead of 201. */
export class Existing<T> {
  readonly record: T;

  constructor(record: T) {
    this.record = record;
  }
}

export interface UploadDefinition<R extends z.ZodType, B extends Shape | undefined>
  extends Omit<WriteDefinition<R, B>, 'handle' | 'method'> {
  readonly file: UploadedFile;
  readonly handle: (
    ctx: Context,
    input: { id: string; body: Infer<B>; file: Upload },
  ) => Promise<z.input<R>>;
}

/** A route is a value: the app, the OpenAPI document and the tenant and scope tests all read the same list. */
export type Route =
  | ({ readonly kind: 'read'; readonly method: 'GET' } & ReadDefinition<
      z.ZodType,
      Shape | undefined
    >)
  | ({ readonly kind: 'list'; readonly method: 'GET' } & ListDefinition<
      z.ZodType,
      Shape | undefined
    >)
  | ({ readonly kind: 'write' } & WriteDefinition<z.ZodType, Shape | undefined>);

/** `GET` of one record. */
export const read = <R extends z.ZodType, Q extends Shape | undefined = undefined>(
  definition: ReadDefinition<R, Q>,
): Route => ({ kind: 'read', method: 'GET', ...definition }) as unknown as Route;

/** `GET` of a file's bytes, always as an attachment. */
export const download = (definition: DownloadDefinition): Route =>
  ({
    kind: 'read',
    method: 'GET',
    file: true,
    reply: z.string(),
    example: { response: '' },
    ...definition,
  }) as unknown as Route;

/** `GET` of a page. */
export const list = <R extends z.ZodType, Q extends Shape | undefined = undefined>(
  definition: ListDefinition<R, Q>,
): Route => ({ kind: 'list', method: 'GET', ...definition }) as unknown as Route;

/** A mutating call; it accepts `Idempotency-Key`. */
export const write = <R extends z.ZodType, B extends Shape | undefined = undefined>(
  definition: WriteDefinition<R, B>,
): Route => ({ kind: 'write', ...definition }) as unknown as Route;

/** A POST of `multipart/form-data`: one file in the part `file`; `body` describes the other parts, all texts. */
export const upload = <R extends z.ZodType, B extends Shape | undefined = undefined>(
  definition: UploadDefinition<R, B>,
): Route => ({ kind: 'write', method: 'POST', ...definition }) as unknown as Route;

/** A POST whose fields are all optional may omit the body too. */
export const needsBody = ({ body, method }: Extract<Route, { kind: 'write' }>): boolean =>
  body !== undefined && !(method === 'POST' && body.safeParse({}).success);
