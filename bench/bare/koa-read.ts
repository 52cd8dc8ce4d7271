/** The least that can answer the same page: Koa, a pool, the same query, and no questions asked. */
import Koa from 'koa';
import pg from 'pg';
import { selectContacts } from '../../src/contacts/queries.ts';
import { sqlOver } from '../../src/db/database.ts';

const { BARE_DATABASE_URL, BARE_PORT, BARE_ORGANIZATION = '' } = process.env;
const pool = new pg.Pool({ connectionString: BARE_DATABASE_URL, max: 12 });
const everything = { sql: sqlOver(pool), organizationId: BARE_ORGANIZATION };
const app = new Koa();

app.use(async (ctx) => {
  const limit = Number(ctx.query['limit'] ?? 50);
  const rows = await selectContacts(everything, {}, { limit, after: null });
  ctx.body = { data: rows.slice(0, limit), more: rows.length > limit };
});
app.listen(Number(BARE_PORT), '127.0.0.1');
