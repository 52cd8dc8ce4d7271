import { beforeEach, describe, expect, it } from '@jest/globals';
import { dueAt } from '../../../src/automations/running/effects/reminding.ts';
import { actOnHappening } from '../../../src/automations/running/listening/happenings.ts';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { transact } from '../../../src/db/transact.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, END, NOON, openRunStage, type RunScene } from './support/scene.ts';

let scene: RunScene;

const stage = opened(openRunStage);
beforeEach(async () => {
  scene = await aRunScene(stage, {
    contact: { name: 'Ana Souza', tags: ['VIP'], custom: { city: 'Recife' } },
  });
});

/** A run of one step to its end. */
async function runOf(step: object): Promise<string> {
  const runId = await scene.start([{ id: 's', next: 'end', ...step }]);
  await scene.advance(runId);
  return runId;
}

const contact = async (): Promise<Record<string, unknown>> =>
  (await scene.rows<Record<string, unknown>>('select * from contacts'))[0] ?? {};

const errorOf = async (runId: string): Promise<unknown> =>
  (
    await scene.rows<{ error: unknown }>('select error from automation_runs where id = $1', runId)
  )[0]?.error;

describe('a step that works with the conversation', () => {
  const conversation = async (): Promise<Record<string, unknown>> =>
    (await scene.rows<Record<string, unknown>>('select * from conversations'))[0] ?? {};

  it('gives it to a team and a member, and the run goes on', async () => {
    const member = await aMember(scene.ctx, { role: 'agent', teams: ['Vendas'] });
    const [team] = await scene.rows<{ id: string }>('select id from teams');
    const steps = [
      { id: 's', type: 'assign', team_id: team?.id, member_id: member.id, next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'Com gente', next: 'end' },
    ];
    const runId = await scene.start(steps);

    await scene.advance(runId);

    expect(await conversation()).toMatchObject({
      assigned_team_id: team?.id,
      assigned_member_id: member.id,
      handled_by: 'member',
    });
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await contact()).toMatchObject({ tags: ['VIP', 'Com gente'] });
  });

  it('closes it, and is content with one that is closed', async () => {
    const close = { type: 'close_conversation' };
    const steps = [
      { id: 'one', ...close, next: 'two' },
      { id: 'two', ...close, next: 'end' },
    ];
    const runId = await scene.start(steps);

    await scene.advance(runId);

    expect(await conversation()).toMatchObject({ status: 'closed' });
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.outputs(runId, 'one')).toEqual([{ closed: true }]);
    expect(await scene.outputs(runId, 'two')).toEqual([{ closed: false }]);
    const events = await scene.rows<{ payload: string }>(
      "select payload from facts where type = 'conversation.closed'",
    );
    expect(events.map(({ payload }) => JSON.parse(payload).data.closed_by.type)).toEqual([
      'automation',
    ]);
  });
});

describe('a step that starts something', () => {
  it('makes a reminder of the contact, in the words of the contact', async () => {
    const text = 'Oi {{first_name}}, volte amanhã!';
    const runId = await runOf({ type: 'create_reminder', title: 'Volta', text, after: 'P1D' });

    const [reminder] = await scene.rows('select * from reminders');
    expect(reminder).toMatchObject({
      title: 'Volta',
      text: 'Oi Ana, volte amanhã!',
      target: 'contact',
      contact_id: scene.contactId,
      number_id: scene.numberId,
      next_run_at: new Date('2026-11-22T12:00:00.000Z'),
      created_by: { type: 'automation', id: expect.stringMatching(/^atm_/) },
    });
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it.each([
    ['Oi {{name}}!', 'Oi { {custom.score} }!'],
    ['{{custom.open}}{{custom.rest}}', '{ {custom.score} }'],
  ])('makes no variable of a reminder from what a person wrote: %s', async (text, expected) => {
    await scene.rows(
      `update contacts set name = '{{custom.score}}', custom = '{"score": "ruim", "open": "{{", "rest": "custom.score}}"}'`,
    );

    await runOf({ type: 'create_reminder', title: 'Volta', text, after: 'P1D' });

    const [reminder] = await scene.rows<{ text: string }>('select text from reminders');
    expect(reminder?.text).toBe(expected);
  });

  it('makes no reminder without words, and does without a title', async () => {
    const remind = { type: 'create_reminder', after: 'P1D' };

    const silent = await runOf({ ...remind, title: 'Volta', text: '{{email}}' });
    expect(await errorOf(silent)).toMatchObject({ code: 'send_failed' });
    expect(await scene.rows('select 1 from reminders')).toEqual([]);

    await runOf({ ...remind, title: '{{email}}', text: 'Volte!' });
    expect(await scene.rows('select title from reminders')).toEqual([{ title: 'Volte!' }]);
  });

  it('says that the plan allows no more reminders', async () => {
    const remind = { type: 'create_reminder', title: 'Volta', text: 'Oi', after: 'P30D' };
    await scene.rows("update workspaces set plan = 'essencial'");
    await runOf(remind);
    await scene.rows(
      `insert into reminders select (jsonb_populate_record(r, jsonb_build_object('id', r.id || n))).*
       from reminders r, plans p, generate_series(2, p.active_reminders) n where p.name = 'essencial'`,
    );

    expect(await errorOf(await runOf(remind))).toEqual({
      step_id: 's',
      code: 'definition_error',
      message: expect.stringMatching(
        /^No reminder was created: the plan allows \d+ active ones\.$/,
      ),
    });
  });

  it('waits for a number when none can send, for an hour at most', async () => {
    const remind = { type: 'create_reminder', title: 'Volta', text: 'Oi', after: 'P30D' };
    const steps = [{ id: 's', next: 'end', ...remind }];
    const lucky = await scene.start(steps, { conversationId: null });
    const late = await scene.start(steps, { conversationId: null });
    await scene.rows("update numbers set status = 'disconnected'");
    for (const runId of [lucky, late]) await scene.advance(runId);
    expect(await scene.run(lucky)).toMatchObject({ status: 'waiting', step: 's' });

    await scene.rows("update numbers set status = 'connected'");
    await scene.advance(lucky);
    await scene.rows("update numbers set status = 'disconnected'");
    scene.now = new Date(NOON.getTime() + 3_600_000);
    await scene.advance(late);

    expect(await scene.run(lucky)).toMatchObject({ status: 'succeeded' });
    expect(await scene.rows('select 1 from reminders')).toHaveLength(1);
    expect(await errorOf(late)).toMatchObject({ code: 'number_unavailable' });
  });

  it.each([
    ['PT30S', null, 'America/Sao_Paulo', '2026-11-21 09:01 America/Sao_Paulo'],
    ['P1D', '08:00', 'America/Sao_Paulo', '2026-11-23 08:00 America/Sao_Paulo'],
    ['P1D', '18:30', 'America/Sao_Paulo', '2026-11-22 18:30 America/Sao_Paulo'],
    ['PT1H', null, 'Asia/Kolkata', '2026-11-21 18:30 Asia/Kolkata'],
  ])('is due after %s at %s in %s', (after, time, zone, expected) => {
    const due = dueAt({ after, time }, NOON, zone);

    expect(`${due.date} ${due.time} ${due.time_zone}`).toBe(expected);
  });

  it('says the second of two equal hours by a clock that has it once', () => {
    const now = new Date('2027-11-07T05:30:00.000Z');

    const due = dueAt({ after: 'PT1H', time: null }, now, 'America/New_York');

    expect(due).toEqual({ date: '2027-11-07', time: '06:30', time_zone: 'UTC' });
  });

  const another = () =>
    anActiveAutomation(scene.ctx, { name: 'Outra', trigger: { type: 'manual' }, steps: [END] });

  /** Acts on the one thing that has happened. */
  async function actOnIt(): Promise<void> {
    const [trigger] = await scene.rows<{ id: string }>('select id from automation_triggers');
    await transact(scene.ctx, (tx) => actOnHappening(tx, trigger?.id ?? '', true));
  }

  it('starts another automation once, as caused by this one', async () => {
    const { id: automation_id } = await another();
    const runId = await runOf({ type: 'start_automation', automation_id });

    await actOnIt();

    const started = await scene.rows('select * from automation_runs where id <> $1', runId);
    expect(started).toMatchObject([
      {
        automation_id,
        contact_id: scene.contactId,
        conversation_id: scene.conversationId,
        trigger: { type: 'automation', ref: runId },
        cause_run_id: runId,
        depth: 1,
      },
    ]);
    expect(await scene.rows('select from automation_triggers')).toEqual([]);
  });

  it('starts none that is off, and never its own again', async () => {
    const { id: automation_id } = await another();
    const step = { id: 's', type: 'start_automation', automation_id, next: 'end' };
    const off = await scene.start([step]);
    await deactivateAutomation(scene.ctx, automation_id, 'finish');
    await scene.advance(off);
    expect(await scene.run(off)).toMatchObject({ status: 'succeeded' });
    expect(await scene.outputs(off, 's')).toEqual([{ active: false }]);
    expect(await scene.rows('select from automation_triggers')).toEqual([]);
    expect(await scene.rows('select reason, count from automation_drops')).toEqual([
      { reason: 'inactive', count: 1 },
    ]);

    await activateAutomation(scene.ctx, automation_id);
    const on = await runOf({ type: 'start_automation', automation_id });
    expect(await scene.outputs(on, 's')).toEqual([{ active: true }]);
    await scene.rows('update automation_triggers set chain = array[automation_id]');
    await actOnIt();

    const runs = await scene.rows(
      'select from automation_runs where automation_id = $1',
      automation_id,
    );
    expect(runs).toEqual([]);
  });
});
