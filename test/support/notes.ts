import { z } from 'zod';
import type { Context, ReadContext } from '../../src/context.ts';
import { AppError, notFound } from '../../src/errors.ts';
import { list, type Route, read, write } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';

/**
 * A small noun for tests of the door itself: notes are kept in `teams`, a table every workspace has, so
 * that row level security, transactions and unique keys are the real ones.
 */
const note = z.strictObject({ id: z.string(), name: z.string(), created_at: z.iso.datetime() });

interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
}

const present = ({ id, name, created_at }: Row) => ({
  id,
  name,
  created_at: created_at.toISOString(),
});

const EXAMPLE = {
  id: 'team_01K00000000000000000000000',
  name: 'a',
  created_at: '2026-01-01T00:00:00Z',
};

const described = (operationId: string) => ({
  operationId,
  summary: operationId,
  tag: 'Notes',
  example: { response: EXAMPLE },
});

async function insertNote(ctx: Context, name: string): Promise<Row> {
  const rows = await ctx.sql.rows<Row>(
    'insert into teams (organization_id, id, name, created_at) values ($1, $2, $3, $4) returning id, name, created_at',
    [ctx.organizationId, newId('team'), name, ctx.now],
  );
  if (rows[0]) return rows[0];
  throw new AppError('internal', 'Nothing was inserted.');
}

async function findNote({ sql }: ReadContext, id: string): Promise<Row> {
  const rows = await sql.rows<Row>('select id, name, created_at from teams where id = $1', [id]);
  if (rows[0]) return rows[0];
  throw notFound('note');
}

/** How a `POST` behaves, by its name: the ways a handler can end. */
async function create(ctx: Context, name: string): Promise<Row> {
  const row = await insertNote(ctx, name);
  if (name === 'refused') throw new AppError('invalid_state', 'Refused after the insert.');
  if (name === 'hurried') throw new AppError('rate_limited', 'Too many at once.');
  if (name === 'broken') throw new TypeError('a secret detail');
  if (name === 'slow') await new Promise((resolve) => setTimeout(resolve, 1_000));
  return row;
}

export const noteRoutes: readonly Route[] = [
  list({
    ...described('list_notes'),
    path: '/v1/notes',
    scope: 'contacts:read',
    query: z.object({ name: z.string().min(1).optional() }),
    item: note,
    handle: async (ctx, { query, page: { limit, after } }) => {
      const rows = await ctx.sql.rows<Row>(
        `select id, name, created_at from teams where ($1::text is null or id < $1) and ($2::text is null or name = $2)
         order by id desc limit $3`,
        [after?.id ?? null, query.name ?? null, limit + 1],
      );
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        data: rows.slice(0, limit).map(present),
        next: last ? { id: last.id, at: null } : null,
      };
    },
  }),
  read({
    ...described('get_note'),
    path: '/v1/notes/:id',
    scope: 'contacts:read',
    id: 'team',
    reply: note,
    handle: async (ctx, { id }) => present(await findNote(ctx, id)),
  }),
  write({
    ...described('create_note'),
    method: 'POST',
    path: '/v1/notes',
    scope: 'contacts:write',
    body: z.strictObject({
      name: z.string().min(1).max(60),
      kind: z.enum(['short', 'long']).default('short'),
      lines: z
        .array(z.strictObject({ text: z.string().min(1) }))
        .max(3)
        .optional(),
      count: z.int().min(0).optional(),
      due: z.iso.date().optional(),
    }),
    status: 201,
    reply: note,
    handle: async (ctx, { body }) => present(await create(ctx, body.name)),
  }),
  write({
    ...described('rename_note'),
    method: 'PATCH',
    path: '/v1/notes/:id',
    scope: 'contacts:write',
    id: 'team',
    body: z.strictObject({ name: z.string().min(1).optional() }),
    status: 200,
    reply: note,
    handle: async (ctx, { id, body }) => {
      const found = await findNote(ctx, id);
      await ctx.sql.rows('update teams set name = $2 where id = $1', [id, body.name ?? found.name]);
      return present({ ...found, name: body.name ?? found.name });
    },
  }),
  write({
    ...described('mark_note'),
    method: 'POST',
    path: '/v1/notes/:id/mark',
    scope: 'contacts:write',
    id: 'team',
    body: z.strictObject({ colour: z.string().optional() }),
    status: 200,
    reply: z.strictObject({ id: z.string() }),
    handle: async (ctx, { id }) => ({ id: (await findNote(ctx, id)).id }),
  }),
  write({
    ...described('lock_note'),
    method: 'POST',
    path: '/v1/notes/:id/lock',
    scope: 'contacts:write',
    id: 'team',
    status: 201,
    secret: true,
    reply: z.strictObject({ id: z.string(), secret: z.string() }),
    handle: async (ctx, { id }) => ({
      id: (await findNote(ctx, id)).id,
      secret: `whsec_${newId('req')}`,
    }),
  }),
  write({
    ...described('draft_note'),
    method: 'POST',
    path: '/v1/notes/drafts',
    scope: 'contacts:write',
    apiKeys: false,
    status: 201,
    reply: note,
    handle: async (ctx) => present(await insertNote(ctx, 'draft')),
  }),
];
