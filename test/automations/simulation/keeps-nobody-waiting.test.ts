import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { tryAdvisoryLock } from '../../../src/db/advisory-locks.ts';
import { transact } from '../../../src/db/transact.ts';
import { untilWaiting } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { tablesWithLockedRows } from '../../support/locked-rows.ts';
import { aMember } from '../../support/members.ts';
import { end, openSimulating, type Simulating, say } from './support/simulating.ts';

let open: Simulating;
let superuser: pg.Client;
beforeAll(async () => {
  open = await openSimulating();
  const url = new URL(process.env['TEST_PG_URL'] ?? '');
  url.pathname = new URL(open.url).pathname;
  superuser = new pg.Client({ connectionString: url.href });
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await open.close();
});

const rows = <R>(text: string, ...params: unknown[]): Promise<R[]> =>
  transact(open.ctx, ({ sql, organizationId }) => sql.rows<R>(text, [organizationId, ...params]));

/** A team with a queue, a member of it who is online, and somebody who waits for an answer of it. */
async function aBusyTeam(): Promise<{ readonly teamId: string; readonly memberId: string }> {
  const { id: memberId, teamIds } = await aMember(open.ctx, { teams: ['Vendas'] });
  const [teamId = ''] = teamIds;
  await rows('update teams set auto_assign = true where organization_id = $1');
  await rows(
    "update members set capacity = 9, online_until = now() + interval '9 days' where organization_id = $1",
  );
  const numbers = await rows<{ id: string }>('select id from numbers where organization_id = $1');
  const { id: contactId } = await aContact(open.ctx);
  const id = await aConversation(open.ctx, { numberId: numbers[0]?.id ?? '', contactId });
  await rows(
    'update conversations set assigned_team_id = $2, waiting_since = now() where organization_id = $1 and id = $3',
    ...[teamId, id],
  );
  return { teamId, memberId };
}

/** The steps that change something; the last one makes a reminder. */
async function everyStep(): Promise<object[]> {
  const { teamId: team_id, memberId: member_id } = await aBusyTeam();
  const { id: pipeline_id, stages } = await aPipeline(open.ctx);
  const stage_id = stages['Proposta'];
  const automation_id = await open.draft([say('hello', 'Oi!', 'end'), end]);
  await rows("insert into automation_drops values ($1, $2, 'inactive', 1)", automation_id);
  const steps = [
    { type: 'add_tag', tag: 'vip' },
    { type: 'remove_tag', tag: 'vip' },
    { type: 'set_field', field: 'custom.cake', value: 'nozes' },
    { type: 'create_deal', pipeline_id, title: 'Bolo' },
    { type: 'move_stage', stage_id },
    { type: 'assign', team_id },
    { type: 'send_message', text: 'Oi!' },
    {
      type: 'ask',
      text: 'Seu nome?',
      timeout: 'P1D',
      save_to: 'name',
      on_invalid: 'end',
      on_timeout: 'end',
    },
    { type: 'start_automation', automation_id },
    { type: 'assign', team_id, member_id },
    { type: 'close_conversation' },
    { type: 'create_reminder', title: 'Volta', text: 'Oi!', after: 'P30D' },
  ];
  const named = steps.map((step, at) => ({
    id: `s${at}`,
    ...step,
    next: at + 1 < steps.length ? `s${at + 1}` : 'end',
  }));
  return [...named, end];
}

it('a simulation locks no row and takes no turn that others in the workspace wait for', async () => {
  const id = await open.draft(await everyStep());
  // It stops at its last step.
  await superuser.query('begin; lock table reminders in share mode');

  const replies = [{ after: 'PT5M', text: 'Ana' }];
  const simulated = open.simulate(id, { message: 'Oi', replies });
  await untilWaiting(superuser);
  const locked = await tablesWithLockedRows(superuser);
  const [assignments, strangers] = await transact(open.ctx, async ({ sql, organizationId }) => [
    await tryAdvisoryLock(sql, 'assignments', organizationId),
    await tryAdvisoryLock(sql, 'strangers', organizationId),
  ]);
  await superuser.query('rollback');

  expect(await simulated).toMatchObject({ status: 'succeeded', error: null });
  expect({ locked, assignments, strangers }).toEqual({
    locked: [],
    assignments: true,
    strangers: true,
  });
});
