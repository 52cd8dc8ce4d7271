import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { lookForSilence } from '../../../src/automations/clock/silence.ts';
import { transact } from '../../../src/db/transact.ts';
import { analyze } from '../../support/analyzing.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { type ClockScene, openClockScene } from './support/clock.ts';

const PEOPLE = 2_000;
const SILENT = 10;
const TABLES = ['automation_runs', 'conversations'];
/** A few for each who is silent. */
const ROWS = 100;
const NOW = '2026-11-20T16:00:00Z';

let scene: ClockScene;
let automationId: string;

/** The first ones were written to two hours ago, by a run; the others a month ago. */
const TALKS = `
with people as (
  insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
  select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', 'import', 'import', now(), now() from generate_series(1, ${PEOPLE}) n),
talks as (
  insert into conversations (organization_id, id, number_id, contact_id, opened_at, last_message_at, created_at, updated_at)
  select $1, 'cnv_' || lpad(n::text, 26, '0'), $2, 'con_' || lpad(n::text, 26, '0'), $4, said.at, $4, $4
  from generate_series(1, ${PEOPLE}) n
  cross join lateral (select $4::timestamptz - case when n <= ${SILENT} then interval '2 hours' else interval '30 days' end as at) said),
runs as (
  insert into automation_runs (organization_id, id, automation_id, version, contact_id, trigger, status, started_at, finished_at)
  select $1, 'run_' || lpad(n::text, 26, '0'), $3, 1, 'con_' || lpad(n::text, 26, '0'), '{}', 'succeeded', $4, $4
  from generate_series(1, ${PEOPLE}) n)
insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, run_id, sent_at, created_at)
select $1, 'msg_' || lpad(n::text, 26, '0'), 'cnv_' || lpad(n::text, 26, '0'), $2, 'con_' || lpad(n::text, 26, '0'),
  'outbound', 'text', 'Oi', 'sent', 'automation', case when n % 2 = 0 then 'run_' || lpad(n::text, 26, '0') end,
  $4::timestamptz - interval '2 hours', $4::timestamptz - interval '2 hours'
from generate_series(1, ${SILENT}) n`;

beforeAll(async () => {
  scene = await openClockScene();
  const ctx = scene.at(NOW);
  const { id: numberId } = await aNumber(ctx);
  automationId = await scene.automation({ type: 'no_reply', after: 'PT2H' });
  await scene.rows(TALKS, [ctx.organizationId, numberId, automationId, NOW]);
  await analyze(scene.database.url, 'contacts', 'conversations', 'automation_runs', 'messages');
});
afterAll(() => scene.close());

it('a look for the silent reads neither the runs nor the conversations of the others', async () => {
  const minute = new Date(NOW);
  const trigger = { type: 'no_reply' as const, after: 'PT2H', number_ids: [] };
  const seenUntil = new Date(minute.getTime() - 60_000);

  const read = await transact(scene.at(NOW), async (tx) => {
    const before = await rowsRead(tx.sql, TABLES);
    const clock = { automationId, trigger, begunAnew: 0, seenUntil, lookUntil: null };
    const rest = { lookAfter: null, remembered: false, seenDay: null, failedAt: null };
    await lookForSilence(tx, { ...clock, ...rest }, trigger, minute);
    return (await rowsRead(tx.sql, TABLES)) - before;
  });

  const started = await scene.rows<{ caused: boolean }>(
    'select cause_run_id is not null as caused from automation_triggers',
  );
  expect(started).toHaveLength(SILENT);
  expect(started.filter(({ caused }) => caused)).toHaveLength(SILENT / 2);
  expect(read).toBeLessThan(ROWS);
});
