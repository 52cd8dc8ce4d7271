import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transact } from '../../../src/db/transact.ts';
import { analyze } from '../../support/analyzing.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { conversation, end, openSimulating, type Simulating, say } from './support/simulating.ts';

const MESSAGES = 3_000;
/** A few for each of its steps. */
const ROWS = 200;
const TABLES = ['messages', 'conversations'];

let open: Simulating;

const OTHERS = `
with people as (
  insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
  select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', 'import', 'import', now(), now() from generate_series(1, 300) n),
talks as (
  insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, updated_at)
  select $1, 'cnv_' || lpad(n::text, 26, '0'), $2, 'con_' || lpad(n::text, 26, '0'), now(), now(), now() from generate_series(1, 300) n)
insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, created_at)
select $1, 'msg_' || lpad(n::text, 26, '0'), 'cnv_' || lpad((n % 300 + 1)::text, 26, '0'), $2,
  'con_' || lpad((n % 300 + 1)::text, 26, '0'), 'inbound', 'text', 'Oi', 'received', 'contact', now()
from generate_series(1, ${MESSAGES}) n`;

beforeAll(async () => {
  open = await openSimulating();
  await transact(open.ctx, async ({ sql, organizationId }) => {
    // Then also who has not written yet is written to.
    const [number] = await sql.rows<{ id: string }>(
      'update numbers set window_24h = false where organization_id = $1 returning id',
      [organizationId],
    );
    await sql.rows(OTHERS, [organizationId, number?.id]);
  });
  await analyze(open.url, 'contacts', 'conversations', 'messages');
});
afterAll(() => open.close());

describe('a simulation in a workspace with many messages', () => {
  it('reads none of those that others wrote', async () => {
    const id = await open.draft(conversation);
    const body = { message: 'Bom dia', replies: [{ after: 'PT5M', text: 'sim, quero' }] };

    const { seen, read } = await transact(open.ctx, async (tx) => {
      const before = await rowsRead(tx.sql, TABLES);
      const simulated = await open.simulate(id, body, tx);
      return { seen: simulated, read: (await rowsRead(tx.sql, TABLES)) - before };
    });

    expect(seen.conversation).toHaveLength(4);
    expect(read).toBeLessThan(ROWS);
  });

  it('tells what is said where it begins without a conversation', async () => {
    const id = await open.draft([say('hello', 'Oi!', 'end'), end], { type: 'manual' });

    const seen = await open.simulate(id);

    expect(seen.steps.map(({ messages }) => messages.length)).toEqual([1, 0]);
    expect(seen.conversation.map(({ text }) => text)).toEqual(['Oi!']);
  });

  it('tells of no messages where nobody says anything', async () => {
    const rest = { id: 'rest', type: 'wait', duration: 'P1D', next: 'end' };
    const id = await open.draft([rest, end], { type: 'manual' });

    const seen = await open.simulate(id);

    expect(seen).toMatchObject({ status: 'succeeded', conversation: [] });
  });
});
