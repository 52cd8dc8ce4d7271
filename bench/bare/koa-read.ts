/** The least that can answer the same page: Koa, one pool, one prepared statement, no questions. */
import Koa from 'koa';
import pg from 'pg';

const { BARE_DATABASE_URL, BARE_PORT, BARE_ORGANIZATION } = process.env;
const pool = new pg.Pool({ connectionString: BARE_DATABASE_URL, max: 12 });
const app = new Koa();

app.use(async (ctx) => {
  const limit = Number(ctx.query['limit'] ?? 50);
  const { rows } = await pool.query({
    name: 'contacts',
    text: `select id, name, phone, email, opted_out, owner_id, tags, custom, birth_date, language, time_zone,
        notes, origin, created_via, whatsapp_status, last_inbound_at, last_outbound_at, created_at, updated_at
      from contacts where organization_id = $1 order by id desc limit $2`,
    values: [BARE_ORGANIZATION, limit + 1],
  });
  ctx.body = { data: rows.slice(0, limit), has_more: rows.length > limit };
});
app.listen(Number(BARE_PORT), '127.0.0.1');
