import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { noteActivity } from '../../src/conversations/activities.ts';
import { assignmentsTending } from '../../src/conversations/assignment/returning.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { setPresence } from '../../src/members/presence.ts';
import { updateTeam } from '../../src/members/teams.ts';
import { type OwnDatabase, openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const HALF_PAST = new Date('2026-11-21T12:30:00.000Z');

let database: OwnDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await openOwnDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

/** Whoever reads what happened in a conversation waits for the owner, with what they have seen until then. */
const READERS_WAIT = `
create function wait() returns boolean language plpgsql as $$ begin
  perform pg_advisory_xact_lock_shared(1);
  return true; end $$;
create policy waits on conversation_activities as restrictive for select using (wait())`;

it('the return timer leaves the new member a conversation that was transferred while it looked', async () => {
  const { ctx } = await aWorkspace(database, { now: NOON });
  const at = (now: Date, actor = ctx.actor) =>
    createContext({ database, wake: () => {} }, { organizationId: ctx.organizationId, actor, now });
  const { id: bia, teamIds } = await aMember(ctx, { teams: ['Loja'] });
  const { id: caio } = await aMember(ctx, { teams: ['Loja'] });
  const { id: dora } = await aMember(ctx, { teams: ['Loja'] });
  const team_id = teamIds[0] ?? '';
  await updateTeam(at(NOON), team_id, { returnAfterMinutes: 10 });
  await setPresence(at(NOON), caio, { online: true, forMs: 3_600_000 });
  const { id: numberId } = await aNumber(ctx);
  const id = await aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id });
  const waits = `update conversations set waiting_since = $2, assigned_team_id = $3, assigned_member_id = $4 where id = $1`;
  await rowsOf(ctx, waits, [id, NOON, team_id, bia]);
  await transact(at(NOON), (tx) => noteActivity(tx, id, 'assigned', { team_id, member_id: bia }));
  await owner.query(READERS_WAIT);

  await owner.query('select pg_advisory_lock(1)');
  const looked = assignmentsTending(database, (_, actor) => at(HALF_PAST, actor)).tend(
    ctx.organizationId,
  );
  await untilWaiting(database.app);
  await transferConversation(at(HALF_PAST), id, { team_id, member_id: dora });
  await owner.query('select pg_advisory_unlock(1)');
  await looked;

  expect(await rowsOf(ctx, 'select assigned_member_id as member from conversations')).toEqual([
    { member: dora },
  ]);
  expect(await rowsOf(ctx, 'select type from conversation_activities order by id')).toEqual([
    { type: 'assigned' },
    { type: 'transferred' },
  ]);
});
