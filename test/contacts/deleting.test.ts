import { describe, expect, it } from '@jest/globals';
import { optInByMember, optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { keepEcho } from '../../src/conversations/receiving/echoing.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { DEADLOCK, isState } from '../../src/db/sqlstates.ts';
import { transact } from '../../src/db/transact.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aFile } from '../support/factories/media.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { type Life, openLife } from './support/life.ts';

const life = opened(openLife);

describe('deleting a contact', () => {
  it('answers the id, and from then on nobody of that id is known', async () => {
    const { id } = await life.aPerson('Ana', '+5511981000001');

    const deleted = await life.call('DELETE', `/${id}`);

    expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }]);
    expect((await life.call('GET', `/${id}`)).status).toBe(404);
    expect((await life.call('DELETE', `/${id}`)).status).toBe(404);
    expect((await life.call('POST', '', { phone: '+5511981000001' })).status).toBe(201);
  });

  it('takes conversations, messages, deals and runs along, and ends reminders', async () => {
    const gone = await life.aPerson('Ana', '+5511981000002');
    const stays = await life.aPerson('Bia', '+5511981000003');

    await life.call('DELETE', `/${gone.id}`);

    for (const [table, column] of [
      ['conversations', 'contact_id'],
      ['messages', 'contact_id'],
      ['deals', 'contact_id'],
      ['contact_identities', 'contact_id'],
      ['contact_search', 'contact_id'],
      ['contacts', 'id'],
    ]) {
      const left = await life.rows(
        `select ${column} as id from ${table} where ${column} = any($1)`,
        [[gone.id, stays.id]],
      );
      expect([table, left]).toEqual([table, [{ id: stays.id }]]);
    }
    const runs = await life.rows(
      'select status, conversation_id, finished_at is null as open from automation_runs where contact_id is null',
    );
    expect(runs).toContainEqual({ status: 'cancelled', conversation_id: null, open: false });
    const reminders = await life.rows(
      'select id, status, cancel_reason, next_run_at is null as over from reminders where id = any($1) order by status',
      [[gone.reminder, stays.reminder]],
    );
    expect(reminders).toEqual([
      { id: stays.reminder, status: 'active', cancel_reason: null, over: false },
      { id: gone.reminder, status: 'cancelled', cancel_reason: 'target_removed', over: true },
    ]);
  });

  it('takes the files along that were sent to the person from the handset, and none of ours', async () => {
    const { id, conversation } = await life.aPerson('Ivo', '+5511981000049');
    const ours = await aFile(life.ctx);
    const told = {
      ...{ contactId: id, numberId: life.numberId, providerId: 'wamid.echo', at: new Date() },
      ...{ type: 'image', text: 'Assim?', replyTo: null },
      media: { id: 'media-1', name: '', type: 'image/jpeg' },
    };
    await transact(life.ctx, (tx) => keepEcho(tx, told));
    const message = { conversationId: conversation, source: 'member', text: '' } as const;
    await transact(life.ctx, (tx) => queueMessage(tx, { ...message, mediaId: ours }));
    const [echoed] = await life.rows<{ id: string }>(
      'select id from media where conversation_id = $1',
      [conversation],
    );
    const seen = async (file = ''): Promise<number> =>
      (await life.door.api.call('GET', `/api/v1/media/${file}`, { key: life.key })).status;
    const before = [await seen(echoed?.id), await seen(ours)];

    await life.call('DELETE', `/${id}`);

    expect([before, await seen(echoed?.id), await seen(ours)]).toEqual([[200, 200], 404, 200]);
    expect(await life.rows('select id from media')).toEqual([{ id: ours }]);
    expect(await life.rows('select media_id from media_fetches')).toEqual([]);
  });

  it('keeps what was counted, without the person in it', async () => {
    const { id, campaign } = await life.aPerson('Clara', '+5511981000004');

    await life.call('DELETE', `/${id}`);

    const recipients = await life.rows(
      'select status, reason, phone, text, contact_id from campaign_recipients where campaign_id = $1',
      [campaign],
    );
    expect(recipients).toEqual([
      { status: 'skipped', reason: 'no_recipient', phone: '', text: '', contact_id: null },
    ]);
    const submissions = await life.rows(
      'select outcome, answers from form_submissions where contact_id is null',
    );
    expect(submissions).toContainEqual({
      outcome: 'contact_created',
      answers: { nome: { label: 'Nome', type: 'text', value: null } },
    });
    const everything = await life.rows<{ said: string }>(
      'select r::text as said from campaign_recipients r union all select s::text from form_submissions s',
    );
    expect(everything.filter(({ said }) => said.includes('1981000004'))).toEqual([]);
  });

  it('erases what the person said from their runs, and shows these to nobody who did not see them', async () => {
    const { id, run, conversation } = await life.aPerson('Caio', '+5511981000047');
    const failed = (await life.aPerson('Caio', '+5511981000048')).run;
    await life.rows(
      `update automation_runs set contact_id = $1, status = 'failed', conversation_id = null,
         error = '{"step_id":"s","code":"send_failed","message":"Rua A does not fit."}' where id = $2`,
      [id, failed],
    );
    const agent = await aMember(life.ctx, { visibility: 'assigned' });
    const seen = (of: string, by?: string) =>
      life.door.api.call('GET', `/api/v1/runs/${of}`, { key: by ?? life.key });
    expect((await seen(run)).body.steps[0].output).toEqual({ answer: 'Rua A, 1' });
    expect((await seen(run, agent.token)).status).toBe(404);
    expect((await seen(failed, agent.token)).status).toBe(200);

    await life.call('DELETE', `/${id}`);

    const ended = (await seen(run)).body;
    const lost = (await seen(failed)).body;
    expect(ended.steps).toMatchObject([
      { step_id: 'where', status: 'succeeded', output: null },
      { step_id: 'end', status: 'cancelled', output: null },
    ]);
    expect(lost.error).toEqual({ step_id: 's', code: 'send_failed', message: '' });
    expect(JSON.stringify([ended, lost])).not.toMatch(new RegExp(`Rua A|${conversation}`));
    for (const one of [run, failed]) expect((await seen(one, agent.token)).status).toBe(404);
  });

  it('forgets the phone that the person had before, too', async () => {
    const { id, campaign } = await life.aPerson('Clóvis', '+5511981000044');
    await life.rows(`update campaign_recipients set status = 'failed' where campaign_id = $1`, [
      campaign,
    ]);
    await life.call('PATCH', `/${id}`, { phone: '+5511981000045' });

    await life.call('DELETE', `/${id}`);

    const left = await life.rows<{ said: string }>(
      'select r::text as said from campaign_recipients r where campaign_id = $1',
      [campaign],
    );
    expect(left.map(({ said }) => /81000044|Oi Ana/.test(said))).toEqual([false]);
  });

  it('begins again when it and a send wait for each other', async () => {
    const { id } = await life.aPerson('Cora', '+5511981000046');
    let deleted: ReturnType<Life['call']> | undefined;

    await inWorkspace(life.door.database, life.ctx.organizationId, async (sql) => {
      await sql.rows('update campaign_recipients set attempts = 1 where contact_id = $1', [id]);
      deleted = life.call('DELETE', `/${id}`);
      await untilWaiting(life.door.database.system);
      await sql.rows('update contacts set last_outbound_at = now() where id = $1', [id]);
    }).catch((error: unknown) => {
      if (!isState(error, DEADLOCK)) throw error; // On a busy machine the send ends in place of the deletion.
    });

    expect((await deleted)?.status).toBe(200);
    expect((await life.call('GET', `/${id}`)).status).toBe(404);
  });

  it('never forgets that the person wants no messages, whoever brings them in again', async () => {
    const { id } = await life.aPerson('Dora', '+5511981000005');
    await transact(life.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null }));

    await life.call('DELETE', `/${id}`);
    const back = await life.call('POST', '', { phone: '+551181000005' });

    expect(back.body).toMatchObject({ opted_out: true, opt_out_source: 'message' });
    const kept = await life.rows<{ said: string }>('select o::text as said from opt_outs o');
    expect(kept.some(({ said }) => said.includes('81000005'))).toBe(false);
  });

  it('holds for a phone that an opted-out person is given, too', async () => {
    const { id } = await aContact(life.ctx, { phone: '+5511981000006' });
    await transact(life.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null }));

    await life.call('PATCH', `/${id}`, { phone: '+5511981000007' });
    await life.call('DELETE', `/${id}`);

    for (const phone of ['+5511981000006', '+5511981000007'])
      expect((await life.call('POST', '', { phone })).body.opted_out).toBe(true);
    const taken = await aContact(life.ctx, { phone: '+5511981000009' });
    const [holder] = (await life.call('GET', '?phone=5511981000006')).body.data;
    await life.call('DELETE', `/${holder.id}`);
    await life.call('PATCH', `/${taken.id}`, { phone: '+5511981000006' });
    expect((await life.call('GET', `/${taken.id}`)).body.opted_out).toBe(true);
  });

  it('is an owner’s and an admin’s, not an agent’s, and stands in the log', async () => {
    const { id } = await life.aPerson('Eva', '+5511981000008');
    const agent = await aMember(life.ctx, { role: 'agent' });
    const admin = await aMember(life.ctx, { role: 'admin' });

    const refused = await life.call('DELETE', `/${id}`, undefined, agent.token);
    const deleted = await life.call('DELETE', `/${id}`, undefined, admin.token);

    expect([refused.status, refused.body.error.details]).toEqual([
      403,
      { permission: 'contacts.delete' },
    ]);
    expect(deleted.status).toBe(200);
    const entries = await life.rows(
      `select action, target from audit_entries where target ->> 'id' = $1 and action = 'contact.deleted'`,
      [id],
    );
    expect(entries).toEqual([
      { action: 'contact.deleted', target: { type: 'contact', id, name: 'Eva' } },
    ]);
  });
});

describe('a member who takes an opt-out back', () => {
  it('gives a reason, which stands in the log; without one nothing changes', async () => {
    const { id } = await aContact(life.ctx, { phone: '+5511981000020' });
    await transact(life.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null }));

    await expect(optInByMember(life.ctx, id, ' ')).rejects.toThrow('1 field is not valid.');
    const before = (await life.call('GET', `/${id}`)).body.opted_out;
    const changed = await optInByMember(life.ctx, id, 'Pediu por telefone em 20/11');
    const again = await optInByMember(life.ctx, id, 'Pediu por telefone em 20/11');

    expect([before, changed, again]).toEqual([true, true, false]);
    expect((await life.call('GET', `/${id}`)).body.opted_out).toBe(false);
    const entries = await life.rows(
      `select changes -> 2 as reason from audit_entries where target ->> 'id' = $1 and action = 'contact.opted_in'`,
      [id],
    );
    expect(entries).toEqual([
      { reason: { field: 'reason', from: null, to: 'Pediu por telefone em 20/11' } },
    ]);
  });
});
