import { describe, expect, it } from '@jest/globals';
import { assignmentsTending } from '../../src/conversations/assignment/returning.ts';
import { suspendMember, updateMember } from '../../src/members/changing.ts';
import { transferScene } from './support/transfer-scene.ts';

const scene = transferScene();
const { rows, begun, aTeam, fresh, assigned } = scene;

const tending = () =>
  assignmentsTending(scene.door.database, (_, actor) => ({ ...fresh(), actor }));

describe('what is left with somebody who can answer no more', () => {
  it('is taken in pages from whoever had more than one, in a workspace without queues too', async () => {
    const { teamId, member } = await aTeam();
    await rows('update teams set auto_assign = false');
    await rows(
      `with people as (
         insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
         select organization_id, 'con_' || lpad(g::text, 26, '0'), '', '+5511' || (900000000 + g), '+5511' || (900000000 + g),
           'direct', 'message', now(), now() from teams, generate_series(1, 1001) g where id = $1 returning id)
       insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, assigned_member_id, status,
         closed_at, opened_at, created_at, updated_at)
       select organization_id, 'cnv_' || right(p.id, 26), $3, p.id, $1, $2, 'closed', now(), now(), now(), now()
       from teams, people p where teams.id = $1`,
      [teamId, member.id, scene.numberId],
    );
    const has = async (): Promise<number> =>
      (await rows('select from conversations where assigned_member_id = $1', [member.id])).length;

    await suspendMember(fresh(), member.id);
    expect(await has()).toBe(501);

    const { ids } = await tending().page('');
    expect(ids).toContain(scene.ctx.organizationId);
    while ((await tending().tend(scene.ctx.organizationId)) > 0);
    expect(await has()).toBe(0);
    expect((await tending().page('')).ids).not.toContain(scene.ctx.organizationId);
  });

  it('is taken from a Viewer, too', async () => {
    const { member } = await aTeam();
    const id = await begun();
    await updateMember(fresh(), member.id, { role: 'viewer' });
    await rows('update conversations set assigned_member_id = $2 where id = $1', [id, member.id]);

    while ((await tending().tend(scene.ctx.organizationId)) > 0);

    expect(await assigned(id)).toBeNull();
  });
});
