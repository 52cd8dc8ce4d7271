import { beforeEach, describe, expect, it } from '@jest/globals';
import { createContext } from '../../../src/db/contexts.ts';
import { newId } from '../../../src/ids.ts';
import { deleteSegment } from '../../../src/segments/service.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor, soon } from '../support/door.ts';
import { aGroupOf } from '../support/groups.ts';

let scene: CampaignScene;

const door = opened(openCampaignDoor);
beforeEach(async () => {
  scene = await aCampaignScene(door);
});

const toSegment = async (segmentId: string, changes: object = {}): Promise<string> =>
  scene.created({ target: 'segment', segment_id: segmentId, contact_ids: [], ...changes });

describe('the targets of a draft', () => {
  it('are a segment, with its estimate, or groups at the pace of ten', async () => {
    const { id: segment } = await aSegment(scene.ctx);
    await aContact(scene.ctx, { tags: ['vip'] });
    const group = await aGroupOf(scene.ctx, scene.numberId);
    const toGroups = { target: 'groups', group_ids: [group.id], contact_ids: [], text: 'Oi' };

    const shown = await scene.call('GET', `/campaigns/${await toSegment(segment)}`);
    const fast = await scene.call('POST', '/campaigns', scene.draft({ ...toGroups, pace: 60 }));
    const slow = await scene.call('POST', '/campaigns', scene.draft({ ...toGroups, pace: 10 }));

    expect(shown.body).toMatchObject({
      target: 'segment',
      segment_id: segment,
      contact_ids: [],
      audience: { status: 'estimated', total: 1, eligible: 1 },
    });
    expect([fast.status, fast.body.error.code]).toEqual([422, 'pace_not_allowed']);
    expect(fast.body.error.details.allowed).toEqual([10]);
    expect([slow.status, slow.body.group_ids]).toEqual([201, [group.id]]);
  });

  it('that are groups count in when a list of campaigns says that it will be over', async () => {
    const groups = [];
    for (let n = 0; n < 3; n += 1) groups.push((await aGroupOf(scene.ctx, scene.numberId)).id);
    const whom = { target: 'groups', group_ids: groups, contact_ids: [], text: 'Oi', pace: 10 };
    const id = await scene.created({ ...whom, when: soon() });
    await scene.call('POST', `/campaigns/${id}/schedule`, {});

    const [listed] = (await scene.call('GET', '/campaigns')).body.data;

    expect(Date.parse(listed.estimated_finish_at) - Date.parse(listed.send_at)).toBe(12_000);
  });

  it('are changed by PATCH, which drops what named the old one', async () => {
    const { id: segment } = await aSegment(scene.ctx);
    const id = await scene.created();

    const changed = await scene.call('PATCH', `/campaigns/${id}`, {
      target: 'segment',
      segment_id: segment,
    });

    expect(changed.body).toMatchObject({ target: 'segment', segment_id: segment, contact_ids: [] });
  });

  it('are nothing of another workspace, and no group of another number', async () => {
    const { ctx: other } = await aWorkspace(door.database);
    const { id: segment } = await aSegment(other);
    const theirs = await aGroupOf(other, (await aNumber(other)).id);
    const elsewhere = await aGroupOf(scene.ctx, (await aNumber(scene.ctx)).id);
    const ask = (changes: object) =>
      scene.call('POST', '/campaigns', scene.draft({ contact_ids: [], text: 'Oi', ...changes }));

    for (const id of [segment, newId('seg')])
      expect((await ask({ target: 'segment', segment_id: id })).body.error).toMatchObject({
        code: 'unknown_segment',
        details: { segment_id: id },
      });
    for (const { id } of [theirs, elsewhere])
      expect((await ask({ target: 'groups', group_ids: [id], pace: 10 })).body.error).toMatchObject(
        { code: 'unknown_group', details: { group_ids: [id] } },
      );
  });

  it('are seen by whoever sees the number alone', async () => {
    const id = await scene.created();
    const { token } = await aMember(scene.ctx, {
      role: 'agent',
      visibility: 'teams',
      teams: ['Vendas'],
      options: ['campaigns.create', 'campaigns.send'],
    });
    const call = (method: string, path: string, body?: unknown) =>
      door.api.call(method, `/api/v1${path}`, { key: token, ...(body ? { body } : {}) });

    expect((await call('GET', '/campaigns')).body.data).toEqual([]);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/recipients', undefined],
      ['GET', '/proof', undefined],
      ['PATCH', '', { name: 'x' }],
      ['POST', '/send', undefined],
      ['POST', '/preview', undefined],
      ['POST', '/test', { phone: '+5511987654321' }],
      ['POST', '/retry', { statuses: ['failed'] }],
    ] as const)
      expect([path, (await call(method, `/campaigns/${id}${path}`, body)).status]).toEqual([
        path,
        404,
      ]);
    const refused = await call('POST', '/campaigns', scene.draft());
    expect(refused.body.error.code).toBe('unknown_number');
  });

  it('keep a segment from being deleted, also when both come at the same moment', async () => {
    const context = () =>
      createContext(
        { database: door.database, wake: () => {} },
        { organizationId: scene.ctx.organizationId, actor: scene.ctx.actor, now: new Date() },
      );
    const outcomes: string[] = [];
    for (let tries = 0; tries < 15; tries++) {
      const { id } = await aSegment(scene.ctx);
      const input = { number_id: scene.numberId, contact_ids: [], segment_id: id };
      const [made, deleted] = await Promise.allSettled([
        aCampaign(context(), { ...input, target: 'segment' }),
        deleteSegment(context(), id),
      ]);
      const both = [made, deleted].map((each) =>
        each.status === 'fulfilled' ? 'done' : each.reason.code,
      );
      outcomes.push(both.join(' and '));
    }

    const possible = ['done and in_use', 'unknown_segment and done'];
    expect(outcomes.filter((outcome) => !possible.includes(outcome))).toEqual([]);
    const { data } = (await scene.call('GET', '/campaigns?limit=100')).body;
    expect(data.filter((campaign: { segment_id: unknown }) => !campaign.segment_id)).toEqual([]);
  });
});
