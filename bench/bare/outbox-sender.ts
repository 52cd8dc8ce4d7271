/** The smallest program that delivers what is committed: is notified of each body, posts it signed and records that it did. */
import pg from 'pg';
import { signedPosts } from '../support/signed-posting.ts';

interface Waiting {
  readonly id: string;
  readonly body: string;
}

const TAKE = `
  with taken as (delete from bare_outbox where id = any(array(select id from bare_outbox order by id limit 100 for update skip locked)) returning id, body),
    kept as (insert into bare_deliveries (id, body) select id, body from taken)
  select id, body from taken`;
const SENT =
  'update bare_deliveries set sent_at = now() where id = any($1::text[]) and sent_at is null';
/** As in the service, answers are recorded in batches. */
const SETTLE_EVERY_MS = 200;

const { BARE_TARGET = '', BARE_DATABASE_URL } = process.env;
const receiver = signedPosts(BARE_TARGET, 64);
const database = new pg.Pool({ connectionString: BARE_DATABASE_URL, max: 4 });
let sent: string[] = [];

async function deliver({ id, body }: Waiting): Promise<void> {
  await receiver.post(id, body);
  sent.push(id);
}

const listener = new pg.Client({ connectionString: BARE_DATABASE_URL });
listener.on('notification', () => {
  void database
    .query<Waiting>({ name: 'take', text: TAKE })
    .then(({ rows }) => Promise.all(rows.map(deliver)));
});
await listener.connect();
await listener.query('listen bare_outbox');
setInterval(() => {
  if (sent.length > 0) void database.query({ name: 'sent', text: SENT, values: [sent] });
  sent = [];
}, SETTLE_EVERY_MS);
console.log('listening');
