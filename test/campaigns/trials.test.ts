import { beforeEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor, soon } from './support/door.ts';
import { aGroupOf } from './support/groups.ts';

let scene: CampaignScene;

const door = opened(openCampaignDoor);
beforeEach(async () => {
  scene = await aCampaignScene(door);
});

const rows = (text: string, params: unknown[] = []) => rowsOf(scene.ctx, text, params);

describe('a test', () => {
  it('sends the text to one phone as it reads there, and counts in no result', async () => {
    const id = await scene.created();
    const ana = await aContact(scene.ctx, { name: 'Ana Souza', phone: '+5511987654321' });

    const reply = await scene.call('POST', `/campaigns/${id}/test`, { phone: '+55 11 98765-4321' });

    expect([reply.status, reply.body]).toEqual([
      200,
      {
        message_id: expect.stringMatching(/^msg_/),
        conversation_id: expect.stringMatching(/^cnv_/),
        phone: ana.phone,
        text: 'Oi Ana!',
      },
    ]);
    expect(await rows('select text, source, status, campaign_id from messages')).toEqual([
      { text: 'Oi Ana!', source: 'api', status: 'queued', campaign_id: null },
    ]);
    expect((await scene.call('GET', `/campaigns/${id}`)).body).toMatchObject({ status: 'draft' });
    expect(await rows('select 1 from campaign_recipients')).toEqual([]);
  });

  it('of a campaign to groups, which all have names, says its text also to whoever has none', async () => {
    const group = await aGroupOf(scene.ctx, scene.numberId);
    const whom = { target: 'groups', contact_ids: [], group_ids: [group.id] };
    const id = await scene.created({ ...whom, text: 'Oi {{name}}', pace: 10 });
    const test = `/campaigns/${id}/test`;

    const unnamed = await scene.call('POST', test, { phone: '+5511987654322' });

    expect([unnamed.status, unnamed.body.text]).toEqual([200, 'Oi {{name}}']);
  });

  it.each([
    ['scheduled', 200],
    ['paused', 200],
    ['done', 409],
  ])('of a campaign that is %s is answered %d', async (status, answer) => {
    const id = await scene.created({ text: 'Oi' });
    await rows('update campaigns set status = $1', [status]);

    const reply = await scene.call('POST', `/campaigns/${id}/test`, { phone: '+5511987654322' });

    expect(reply.status).toBe(answer);
  });

  it('goes to the second phone of a contact that was merged', async () => {
    const phone = '+5511987654322';
    const [ana, other] = [await aContact(scene.ctx), await aContact(scene.ctx, { phone })];
    await mergeContacts(scene.ctx, ana.id, other.id);

    const reply = await scene.call('POST', `/campaigns/${await scene.created()}/test`, { phone });

    expect(reply.body).toMatchObject({ phone });
    expect(await rows('select to_phone from outgoing_messages')).toEqual([{ to_phone: phone }]);
  });

  it('goes to nobody who opted out or is blocked, to nobody outside the window, and never with an incomplete text', async () => {
    const id = await scene.created();
    const phone = '+5511987654321';
    const ana = await aContact(scene.ctx, { phone });
    const ask = (changes: object = {}) =>
      scene.call('POST', `/campaigns/${id}/test`, { phone, ...changes });

    await rows('update contacts set opted_out = true where id = $1', [ana.id]);
    expect((await ask()).body.error.code).toBe('opted_out');
    await rows('update contacts set opted_out = false, blocked = true where id = $1', [ana.id]);
    expect((await ask()).body.error.details).toMatchObject([{ path: 'phone', rule: 'blocked' }]);
    await rows(`update contacts set blocked = false, name = '' where id = $1`, [ana.id]);
    expect((await ask()).body.error.details).toMatchObject([
      { path: 'phone', rule: 'missing_variable', which: ['first_name'] },
    ]);
    await rows(`update contacts set name = 'Ana' where id = $1`, [ana.id]);
    await rows('update numbers set window_24h = true');
    expect((await ask()).body.error.code).toBe('out_of_window');
    await aConversation(scene.ctx, { numberId: scene.numberId, contactId: ana.id });
    await rows(`update conversations set window_expires_at = now() + interval '1 minute'`);
    expect((await ask()).body.error.code).toBe('out_of_window');
    expect((await ask({ phone: '11 98765-4321' })).body.error.details).toMatchObject([
      { path: 'phone', rule: 'format' },
    ]);
    expect(await rows('select 1 from messages')).toEqual([]);
  });
});

describe('a retry', () => {
  const settle = (id: string, statuses: readonly string[]): Promise<unknown> =>
    rows(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status)
       select organization_id, $1, 'rcp_' || n, id, id, phone, '', ($2::text[])[n]
       from (select *, row_number() over (order by id) as n from contacts) c`,
      [id, statuses],
    );

  it('is a new draft to those of the statuses, which says what it retries', async () => {
    const id = await scene.created({ pace: 600 });
    await settle(id, ['failed', 'sent', 'unconfirmed']);
    await rows(`update campaigns set status = 'done'`);
    const retry = (statuses: string[]) =>
      scene.call('POST', `/campaigns/${id}/retry`, { statuses });

    const failed = await retry(['failed']);
    const both = await retry(['failed', 'unconfirmed']);

    expect(failed.status).toBe(201);
    expect(failed.body).toMatchObject({
      name: 'Black Friday (2)',
      status: 'draft',
      target: 'contacts',
      contact_ids: [scene.contactIds[0]],
      text: 'Oi {{first_name}}!',
      pace: 600,
      retry_of: id,
    });
    expect(both.body.contact_ids).toEqual([scene.contactIds[0], scene.contactIds[2]]);
    const again = `/campaigns/${failed.body.id}/retry`;
    await rows(`update campaigns set status = 'done' where id = $1`, [failed.body.id]);
    await rows(`update campaign_recipients set campaign_id = $1 where campaign_id = $2`, [
      failed.body.id,
      id,
    ]);
    expect((await scene.call('POST', again, { statuses: ['failed'] })).body.name).toBe(
      'Black Friday (3)',
    );
  });

  it('leaves out who was merged with somebody that got it, and names two who became one once', async () => {
    const id = await scene.created();
    await settle(id, ['failed', 'sent', 'failed', 'failed']);
    await rows(`update campaigns set status = 'done'`);
    const [first, second, third, fourth] = scene.contactIds;
    const becomes = (other: string | undefined, contact: string | undefined) =>
      rows('update campaign_recipients set contact_id = $2 where contact_id = $1', [
        other,
        contact,
      ]);
    await becomes(first, second);
    await becomes(fourth, third);

    const retry = await scene.call('POST', `/campaigns/${id}/retry`, { statuses: ['failed'] });

    expect(retry.body.contact_ids).toEqual([third]);
  });

  it('is for the recipients who are named, and for nobody when one of them cannot be', async () => {
    const id = await scene.created();
    await settle(id, ['failed', 'delivered', 'unconfirmed']);
    await rows(`update campaigns set status = 'done'`);
    const [first, , third] = scene.contactIds;
    const retry = (body: object) => scene.call('POST', `/campaigns/${id}/retry`, body);

    const chosen = await retry({ recipient_ids: ['rcp_3', 'rcp_1', 'rcp_3'] });
    await rows("update campaign_recipients set contact_id = null where id = 'rcp_3'");
    const refused = await retry({ recipient_ids: ['rcp_1', 'rcp_2', 'rcp_3', 'rcp_4'] });
    const both = await retry({ statuses: ['failed'], recipient_ids: ['rcp_1'] });
    const neither = await retry({});

    expect(chosen.status).toBe(201);
    expect(chosen.body).toMatchObject({ contact_ids: [first, third], retry_of: id });
    expect(refused.body.error.details).toMatchObject([
      { path: 'recipient_ids[1]', rule: 'status', allowed: ['failed', 'unconfirmed'] },
      { path: 'recipient_ids[2]', rule: 'gone' },
      { path: 'recipient_ids[3]', rule: 'unknown' },
    ]);
    expect(both.body.error.details).toMatchObject([{ path: 'recipient_ids', rule: 'exactly_one' }]);
    expect(neither.body.error.details).toMatchObject([{ path: 'statuses', rule: 'exactly_one' }]);
    const { body } = await scene.call('GET', '/campaigns');
    expect(body.data).toHaveLength(2);
  });

  it('is refused while the campaign runs, for nobody, and for whoever got it', async () => {
    const id = await scene.created();
    const retry = (statuses: string[]) =>
      scene.call('POST', `/campaigns/${id}/retry`, { statuses });

    expect((await retry(['failed'])).body.error).toMatchObject({
      code: 'invalid_state',
      details: { allowed: ['done', 'paused'] },
    });
    await rows(`update campaigns set status = 'paused'`);
    expect((await retry(['failed'])).body.error.details).toMatchObject([
      { path: 'statuses', rule: 'no_recipients' },
    ]);
    expect((await retry(['sent'])).status).toBe(422);
    expect((await retry([])).status).toBe(422);
  });
});

describe('a preview', () => {
  it('is refused for a campaign that has begun', async () => {
    const id = await scene.created();
    await rows(`update campaigns set status = 'sending'`);

    const reply = await scene.call('POST', `/campaigns/${id}/preview`);

    expect(reply.body.error.code).toBe('invalid_state');
  });

  it('of a scheduled campaign begins at its time and ends at its pace', async () => {
    const id = await scene.created({ when: soon(), pace: 60 });
    await scene.call('POST', `/campaigns/${id}/schedule`);

    const { body } = await scene.call('POST', `/campaigns/${id}/preview`);

    const { send_at } = (await scene.call('GET', `/campaigns/${id}`)).body;
    expect(body.starts_at).toBe(send_at);
    expect(Date.parse(body.estimated_finish_at) - Date.parse(send_at)).toBe(2_000);
  });

  it('to groups names each group, at the pace of groups', async () => {
    const one = await aGroupOf(scene.ctx, scene.numberId, { name: 'Alunos' });
    const two = await aGroupOf(scene.ctx, scene.numberId, { name: 'Pais', left: true });
    const id = await scene.created({
      target: 'groups',
      contact_ids: [],
      group_ids: [one.id, two.id, one.id],
      text: 'Oi {{name}}',
      pace: 10,
    });

    const { body } = await scene.call('POST', `/campaigns/${id}/preview`);

    expect(body).toMatchObject({
      audience: { total: 3, eligible: 1, excluded: { left_group: 1, duplicate: 1 } },
      recipients: [{ contact_id: null, group_id: one.id, name: 'Alunos', text: 'Oi Alunos' }],
      left_out: [
        { group_id: two.id, reason: 'left_group' },
        { group_id: one.id, reason: 'duplicate' },
      ],
      effective_pace: 10,
    });
  });
});
