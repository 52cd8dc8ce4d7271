import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor } from './support/door.ts';
import { contactsWith, ordinaryPhones } from './support/sending.ts';

let scene: CampaignScene;

const door = opened(openCampaignDoor);
beforeEach(async () => {
  scene = await aCampaignScene(door);
});

describe('creating a campaign', () => {
  it('answers 201 with a draft, first in the specification’s words, and sets nothing in motion', async () => {
    const reply = await scene.call('POST', '/campaigns', scene.draft());

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      id: expect.stringMatching(/^cmp_/),
      name: 'Black Friday',
      status: 'draft',
      number_id: scene.numberId,
      target: 'contacts',
      segment_id: null,
      contact_ids: scene.contactIds,
      group_ids: [],
      text: 'Oi {{first_name}}!',
      send_at: null,
      pace: 60,
      started_at: null,
      finished_at: null,
    });
    expect(Object.keys(reply.body).slice(0, 14)).toEqual([
      ...['id', 'name', 'status', 'number_id', 'target', 'segment_id', 'contact_ids'],
      ...['group_ids', 'text', 'send_at', 'pace', 'started_at', 'finished_at', 'created_at'],
    ]);
    expect(await scene.commands()).toEqual([]);
  });

  it('keeps the moment that `when` names, in the workspace’s zone', async () => {
    const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);

    const reply = await scene.call('POST', '/campaigns', scene.draft({ when: `${day}T09:00` }));

    expect(reply.body.send_at).toBe(`${day}T12:00:00.000Z`);
  });

  it.each([
    ['name', 'min_length', { name: '' }],
    ['name', 'max_length', { name: '✨'.repeat(81) }],
    ['text', 'max_length', { text: 'a'.repeat(4097) }],
    ['text', 'unknown_variable', { text: 'Oi {{nome}}' }],
    ['text', 'variable_form', { text: 'Oi {{first_name}!' }],
    ['pace', 'enum', { pace: 61 }],
    ['pace', 'enum', { pace: '60' }],
    ['target', 'enum', { target: 'everybody' }],
    ['target', 'enum', { target: 'pipeline', contact_ids: [] }],
    ['segment_id', 'required', { target: 'segment', contact_ids: [] }],
    ['contact_ids', 'not_applicable', { target: 'segment', segment_id: 'seg_1' }],
    ['group_ids', 'min_items', { target: 'groups', contact_ids: [], text: 'Oi' }],
    ['group_ids', 'max_items', { group_ids: Array.from({ length: 101 }, () => 'grp_1') }],
    [
      'text',
      'unknown_variable',
      { target: 'groups', group_ids: ['grp_1'], contact_ids: [], text: 'Oi {{first_name}}' },
    ],
    ['pipeline_id', 'unknown_field', { pipeline_id: 'pip_1' }],
    ['segment_id', 'not_applicable', { segment_id: 'seg_1' }],
    ['group_ids', 'not_applicable', { group_ids: ['grp_1'] }],
    ['contact_ids', 'min_items', { contact_ids: [] }],
    ['contact_ids', 'max_items', { contact_ids: Array.from({ length: 1001 }, () => 'con_1') }],
    ['when', 'date_time', { when: 'tomorrow' }],
    ['when', 'when_range', { when: '2020-01-01T09:00:00Z' }],
    ['contact_id', 'unknown_field', { contact_id: 'con_1' }],
  ])('refuses %#: %s by the rule %s, and changes nothing', async (path, rule, changes) => {
    const reply = await scene.call('POST', '/campaigns', scene.draft(changes));

    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({ code: 'validation', details: [{ path, rule }] });
    expect((await scene.call('GET', '/campaigns')).body.data).toEqual([]);
  });

  it('names the four paces that there are', async () => {
    const reply = await scene.call('POST', '/campaigns', scene.draft({ pace: 100 }));

    expect(reply.body.error.details).toMatchObject([{ allowed: [10, 60, 600, 4800] }]);
  });

  it('refuses the whole call when one contact is unknown, and names it', async () => {
    const stranger = newId('con');

    const reply = await scene.call(
      'POST',
      '/campaigns',
      scene.draft({ contact_ids: [...scene.contactIds, stranger] }),
    );

    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({
      code: 'unknown_contact',
      details: { contact_ids: [stranger] },
    });
    expect((await scene.call('GET', '/campaigns')).body.data).toEqual([]);
  });

  it('knows no number and no contact of another workspace', async () => {
    const { ctx: other } = await aWorkspace(door.database);
    const theirNumber = await aNumber(other);
    const [theirContact] = await contactsWith(other, ordinaryPhones(1));

    const byNumber = await scene.call(
      'POST',
      '/campaigns',
      scene.draft({ number_id: theirNumber.id }),
    );
    const byContact = await scene.call(
      'POST',
      '/campaigns',
      scene.draft({ contact_ids: [theirContact] }),
    );

    expect(byNumber.body.error.code).toBe('unknown_number');
    expect(byContact.body.error.code).toBe('unknown_contact');
  });

  it('refuses a pace above the plan’s, and says which are allowed', async () => {
    await setPlan(scene.ctx, 'essencial');

    const reply = await scene.call('POST', '/campaigns', scene.draft({ pace: 600 }));

    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({
      code: 'pace_not_allowed',
      details: { allowed: [10, 60], plan: 'essencial' },
    });
  });
});
