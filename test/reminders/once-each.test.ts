import { describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { aContact } from '../support/factories/contacts.ts';
import { LATE, lookedAt } from './support/looked-at.ts';

const { scene, look, people, toSegment, unqueue, queued, runs } = lookedAt();

describe('a run', () => {
  it('that many workers look at, and that dies after each step, queues everybody once', async () => {
    const ids = await people(12);
    const id = await toSegment();

    for (let round = 0; round < 6; round += 1)
      await Promise.all([1, 2, 3, 4].map(() => look(id, { steps: 1 })));
    const { stage } = await look(id);

    expect(stage).toBe('running');
    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
    expect(await runs(id)).toEqual([{ status: 'running', at: new Date('2026-11-21T12:00:00Z') }]);
  });

  it('whose worker ends before each of its commits has left nothing behind, and goes on as if it had never been', async () => {
    const ids = await people(3);
    const id = await toSegment();
    const contextAt = () =>
      createContext(
        { database: scene.door.database, wake: () => {} },
        { organizationId: scene.desk.ctx.organizationId, actor: scene.desk.ctx.actor, now: LATE },
      );
    const state = () =>
      scene.desk.rows(
        `select r.status, r.wakes_at, (select count(*) from reminder_runs) as runs,
           (select count(*) from reminder_recipients) as recipients, (select count(*) from messages) as messages
         from reminders r where id = $1`,
        [id],
      );
    let more = true;
    let deaths = 0;
    while (more) {
      const before = await state();
      const dying = transact(contextAt(), async (tx) => {
        await takeStep(tx, id);
        throw new TypeError('dead');
      });
      await expect(dying).rejects.toThrow('dead');
      expect(await state()).toEqual(before);
      deaths += 1;
      more = (await transact(contextAt(), (tx) => takeStep(tx, id))) === 'more';
    }

    expect(deaths).toBeGreaterThan(0);
    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
  });

  it('after three days of absence is one at most: the others are written down as missed', async () => {
    await people(2);
    const id = await toSegment();

    await look(id, { ms: 3 * 86_400_000 });

    expect((await runs(id)).map(({ status }) => status)).toEqual([
      ...['missed', 'missed', 'missed', 'running'],
    ]);
    expect(await queued(id)).toHaveLength(2);
    const { body } = await scene.desk.call('GET', `/reminders/${id}`);
    expect(body.next_run_at).toBe('2026-11-25T12:00:00.000Z');
    const shown = await scene.desk.call('GET', `/reminders/${id}/runs`);
    expect(shown.body.data.at(-1)).toMatchObject({
      status: 'missed',
      started_at: null,
      recipients: 0,
    });
  });

  it('leaves out whoever came after it began, though it had not examined everybody by then', async () => {
    const { ctx } = scene.desk;
    // As many others as it examines at a time.
    await scene.desk.rows(
      `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
       select $1, 'con_' || lpad(n::text, 26, '0'), 'import', 'import', $2, $2 from generate_series(1, 2000) n`,
      [ctx.organizationId, ctx.now],
    );
    const [ana] = await people(1);
    const id = await toSegment();
    await look(id, { steps: 1 });
    const begun = await scene.desk.rows('select frozen_at from reminder_runs');
    await aContact({ ...ctx, now: new Date(LATE.getTime() + 1_000) }, { tags: ['vip'] });

    await look(id, { ms: 2_000 });

    expect(begun).toEqual([{ frozen_at: null }]);
    expect((await queued(id)).map(({ contact }) => contact)).toEqual([ana]);
  });

  it('passes over a contact that was deleted while its message waited', async () => {
    const [gone = ''] = await people(2);
    const id = await toSegment();
    await look(id);

    await scene.desk.call('DELETE', `/contacts/${gone}`);
    await scene.desk.rows("update messages set status = 'sent' where reminder_id = $1", [id]);
    await look(id, { ms: 10_000 });

    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    expect(body.data).toMatchObject([
      { status: 'partial', recipients: 2, sent: 1, reasons: { no_recipient: 1 } },
    ]);
    const left = await scene.desk.rows('select from reminder_recipients where contact_id = $1', [
      gone,
    ]);
    expect(left).toEqual([]);
  });

  it('keeps count of a contact that was deleted after its message had left', async () => {
    const [gone = ''] = await people(2);
    const id = await toSegment();
    await look(id);
    await scene.desk.rows("update messages set status = 'delivered' where reminder_id = $1", [id]);

    await scene.desk.call('DELETE', `/contacts/${gone}`);
    await look(id, { ms: 10_000 });

    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    expect(body.data).toMatchObject([{ status: 'sent', recipients: 2, sent: 2, reasons: {} }]);
  });

  it('writes once to two contacts that became one before they were written to', async () => {
    const [first = '', second = ''] = await people(2);
    const id = await toSegment();
    await look(id);
    await unqueue(id);

    await mergeContacts(scene.desk.ctx, first, second);
    await look(id);

    expect((await queued(id)).map(({ contact }) => contact)).toEqual([first]);
  });

  it('writes once to two contacts that became one while its messages to both were queued', async () => {
    const [first = '', second = ''] = await people(2);
    const id = await toSegment();
    await look(id);
    // As after a try that failed for a passing reason: it would hold up what is behind it.
    await scene.desk.rows("update outgoing_messages set not_before = now() + interval '1 hour'");

    await mergeContacts(scene.desk.ctx, first, second);
    const waiting = await scene.desk.rows(
      `select m.status, q.not_before <= now() as due from messages m
       join outgoing_messages q on q.message_id = m.id where m.reminder_id = $1 order by 1`,
      [id],
    );
    await scene.desk.rows(
      "update messages set status = 'sent' where reminder_id = $1 and status = 'queued'",
      [id],
    );
    await look(id, { ms: 10_000 });

    expect(waiting).toEqual([
      { status: 'cancelled', due: true },
      { status: 'queued', due: false },
    ]);
    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    const sums = { recipients: 2, sent: 1, skipped: 1, reasons: { no_recipient: 1 } };
    expect(body.data).toMatchObject([{ status: 'partial', ...sums }]);
  });

  it.each([
    ['sending', 'cancelled'],
    ['failed', 'queued'],
  ])(
    'of two that became one, where the other’s message is %s, leaves the survivor’s %s',
    async (other, own) => {
      const [first = '', second = ''] = await people(2);
      const id = await toSegment();
      await look(id);
      await scene.desk.rows('update messages set status = $1 where contact_id = $2', [
        other,
        second,
      ]);

      await mergeContacts(scene.desk.ctx, first, second);

      expect((await queued(id)).map(({ status }) => status).toSorted()).toEqual(
        [other, own].toSorted(),
      );
    },
  );

  it('counts what became of each message, in words of its own', async () => {
    await people(4);
    const id = await toSegment();
    await look(id);
    const [a, b, c] = await scene.desk.rows<{ id: string }>(
      'select id from messages where reminder_id = $1 order by id',
      [id],
    );
    const write = (status: string, message: { id: string } | undefined, reason: string | null) =>
      scene.desk.rows('update messages set status = $1, error = $3::jsonb where id = $2', [
        status,
        message?.id,
        reason && JSON.stringify({ reason }),
      ]);
    await write('delivered', a, null);
    await write('failed', b, 'no_whatsapp');
    await write('unconfirmed', c, null);
    await look(id, { ms: 5_000 });
    const during = (await scene.desk.call('GET', `/reminders/${id}/runs`)).body.data[0];
    await scene.desk.rows(
      "update messages set status = 'read' where reminder_id = $1 and status = 'queued'",
      [id],
    );
    await look(id, { ms: 20_000 });

    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    const reasons = { no_whatsapp: 1, unconfirmed: 1 };
    expect(during).toMatchObject({ status: 'running', recipients: 4, sent: 1, failed: 1, reasons });
    const sums = { recipients: 4, sent: 2, failed: 1, unconfirmed: 1, skipped: 0, cancelled: 0 };
    expect(body.data[0]).toMatchObject({ status: 'partial', ...sums, reasons });
  });

  it('counts as failed what WhatsApp refused, also for what would have been passed over here', async () => {
    await people(1);
    const id = await toSegment();
    await look(id);
    const error = { reason: 'out_of_window', code: 'out_of_window', provider_code: 131047 };
    await scene.desk.rows("update messages set status = 'failed', error = $1::jsonb", [
      JSON.stringify(error),
    ]);
    await look(id, { ms: 5_000 });

    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    const counted = { failed: 1, skipped: 0, reasons: { out_of_window: 1 } };
    expect(body.data[0]).toMatchObject({ status: 'failed', ...counted });
  });
});
