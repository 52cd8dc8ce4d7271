import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor, soon } from './support/door.ts';
import { aGroupOf } from './support/groups.ts';

let scene: CampaignScene;

const door = opened(openCampaignDoor);
beforeEach(async () => {
  scene = await aCampaignScene(door);
});

const TO_GROUPS = { target: 'groups', contact_ids: [] };

describe('a draft', () => {
  it('can be changed in part', async () => {
    const id = await scene.created({ when: soon() });

    const reply = await scene.call('PATCH', `/campaigns/${id}`, { name: 'Natal', when: null });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, name: 'Natal', send_at: null, pace: 60 });
    const wrong = await scene.call('PATCH', `/campaigns/${id}`, { text: '{{x}}' });
    expect(wrong.body.error.details).toMatchObject([{ path: 'text', rule: 'unknown_variable' }]);
  });

  it.each([
    [
      'to a paired number',
      600,
      async () => ({ number_id: (await aNumber(scene.ctx, { provider: 'paired' })).id }),
    ],
    [
      'to groups',
      60,
      async () => ({ ...TO_GROUPS, group_ids: [(await aGroupOf(scene.ctx, scene.numberId)).id] }),
    ],
  ] as const)('is moved %s only at a pace that these allow', async (_, pace, moved) => {
    const id = await scene.created({ pace, text: 'Oi' });
    const change = await moved();

    const kept = await scene.call('PATCH', `/campaigns/${id}`, change);
    const slower = await scene.call('PATCH', `/campaigns/${id}`, { ...change, pace: 10 });

    expect([kept.status, kept.body.error.code]).toEqual([422, 'pace_not_allowed']);
    expect(slower.body).toMatchObject({ id, pace: 10 });
  });

  it('keeps a text of before the rules for texts, which is judged again only when it says something else, or to others', async () => {
    const id = await scene.created();
    await rowsOf(scene.ctx, "update campaigns set text = 'Oi {{first_name}!' where id = $1", [id]);
    const patch = (body: object) => scene.call('PATCH', `/campaigns/${id}`, body);

    const same = await patch({ name: 'Natal', text: 'Oi {{first_name}!' });
    const others = await patch({ target: 'groups', group_ids: [newId('grp')] });
    const another = await patch({ text: 'Olá {{first_name}!' });

    expect(same.body).toMatchObject({ name: 'Natal', text: 'Oi {{first_name}!' });
    const wrong = { details: [{ path: 'text', rule: 'variable_form' }] };
    expect([others.body.error, another.body.error]).toMatchObject([wrong, wrong]);
  });

  it('can be changed after a contact of its list was deleted, who gets nothing', async () => {
    const gone = await aContact(scene.ctx);
    const stays = await aContact(scene.ctx);
    const id = await scene.created({ contact_ids: [gone.id, stays.id] });
    await rowsOf(scene.ctx, 'delete from contacts where id = $1', [gone.id]);

    const renamed = await scene.call('PATCH', `/campaigns/${id}`, { name: 'Natal' });
    const wrong = await scene.call('PATCH', `/campaigns/${id}`, {
      contact_ids: [stays.id, newId('con')],
    });

    expect(renamed.status).toBe(200);
    expect([wrong.status, wrong.body.error.code]).toEqual([422, 'unknown_contact']);
    expect((await scene.call('GET', `/campaigns/${id}`)).body.audience).toMatchObject({
      total: 2,
      eligible: 1,
    });
  });

  it('leaves in the log what changed, never the text', async () => {
    const id = await scene.created();

    await scene.call('PATCH', `/campaigns/${id}`, {
      name: 'Natal',
      text: 'Feliz Natal!',
      pace: 60,
    });

    const [entry] = await rowsOf<{ changes: { field: string }[] }>(
      scene.ctx,
      "select changes from audit_entries where action = 'campaign.updated'",
    );
    expect(entry?.changes.map(({ field }) => field)).toEqual(['name', 'text']);
    expect(JSON.stringify(entry)).not.toContain('Feliz');
  });

  it('leaves nothing in the log when it stays as it was, its time written in another way', async () => {
    const at = soon();
    const id = await scene.created({ when: at });
    const shifted = new Date(Date.parse(at) - 3 * 3_600_000).toISOString();

    const reply = await scene.call('PATCH', `/campaigns/${id}`, {
      ...scene.draft(),
      when: shifted.replace('Z', '-03:00'),
    });

    expect([reply.status, reply.body.send_at]).toEqual([200, at]);
    const logged = "select 1 from audit_entries where action = 'campaign.updated'";
    expect(await rowsOf(scene.ctx, logged)).toEqual([]);
  });

  it('has in the log the moment of its time, however that was written', async () => {
    const id = await scene.created();
    const at = soon();

    await scene.call('PATCH', `/campaigns/${id}`, { when: at.replace('Z', '+00:00') });

    const [entry] = await rowsOf<{ changes: unknown }>(
      scene.ctx,
      "select changes from audit_entries where action = 'campaign.updated'",
    );
    expect(entry?.changes).toEqual([{ field: 'when', from: null, to: at }]);
  });

  it('can be deleted', async () => {
    const id = await scene.created();

    expect((await scene.call('DELETE', `/campaigns/${id}`)).body).toEqual({ id, deleted: true });
    expect((await scene.call('GET', `/campaigns/${id}`)).status).toBe(404);
  });

  it('shows who would get it', async () => {
    await rowsOf(scene.ctx, 'update contacts set opted_out = true where id = $1', [
      scene.contactIds[0],
    ]);
    const id = await scene.created({ contact_ids: [...scene.contactIds, scene.contactIds[1]] });

    const { audience, results } = (await scene.call('GET', `/campaigns/${id}`)).body;

    expect(audience).toMatchObject({ status: 'estimated', total: 4, eligible: 2, frozen_at: null });
    expect(audience.excluded).toMatchObject({ opted_out: 1, duplicate: 1, no_phone: 0 });
    expect(results).toMatchObject({ pending: 2, sent: 0 });
  });
});

describe('listing', () => {
  it('is newest first, page by page, and filtered by status, number and segment', async () => {
    const first = await scene.created();
    const second = await scene.created();
    await scene.call('POST', `/campaigns/${first}/send`);
    const { id: segment_id } = await aSegment(scene.ctx);
    const third = await scene.created({ target: 'segment', segment_id, contact_ids: [] });

    const ids = async (query: string): Promise<string[]> =>
      (await scene.call('GET', `/campaigns${query}`)).body.data.map(({ id }: { id: string }) => id);

    const { next_cursor } = (await scene.call('GET', '/campaigns?limit=2')).body;
    expect(await ids('')).toEqual([third, second, first]);
    expect(await ids(`?limit=2&cursor=${next_cursor}`)).toEqual([first]);
    expect(await ids('?status=sending')).toEqual([first]);
    expect(await ids(`?number_id=${scene.numberId}&limit=1`)).toEqual([third]);
    expect(await ids(`?number_id=${newId('num')}`)).toEqual([]);
    expect(await ids(`?segment_id=${segment_id}`)).toEqual([third]);
  });
});
