import { beforeEach, describe, expect, it } from '@jest/globals';
import { removeAutomation } from '../../../src/automations/removing.ts';
import { takeStep } from '../../../src/automations/running/step.ts';
import { updateAutomation } from '../../../src/automations/service.ts';
import { activateAutomation } from '../../../src/automations/transitions.ts';
import { transact } from '../../../src/db/transact.ts';
import { createDeal } from '../../../src/pipelines/service.ts';
import { anAutomation } from '../../support/factories/automations.ts';
import { type APipeline, aPipeline } from '../../support/factories/pipelines.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, type RunScene } from './support/scene.ts';

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

describe('a step that changes the contact', () => {
  it.each([
    ['name', 'Dona {{first_name}}', { name: 'Dona Ana' }],
    ['email', 'ana@example.com', { email: 'ana@example.com' }],
    ['email', '{{step.none.answer}}', { email: null }],
    ['birth_date', null, { birth_date: null }],
    ['notes', 'Mora em {{custom.city}}', { notes: 'Mora em Recife' }],
    ['custom.age', 42, { custom: { city: 'Recife', age: 42 } }],
    ['custom.city', null, { custom: {} }],
    ['custom.member', true, { custom: { city: 'Recife', member: true } }],
  ])('writes %s = %j', async (field, value, expected) => {
    const ask = { id: 'none', type: 'wait_for_reply', timeout: 'P1D', next: 's', on_timeout: 's' };
    const step = { id: 's', type: 'set_field', field, value, next: 'end' };
    const needs = typeof value === 'string' && value.includes('step.none');
    const runId = await scene.start(needs ? [step, ask] : [step]);

    await scene.advance(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await contact()).toMatchObject(expected);
  });

  it('says which maximum keeps a tag from being added', async () => {
    const tags = Array.from({ length: 50 }, (_, n) => `t${n}`);
    await scene.rows('update contacts set tags = $1', tags);

    const runId = await runOf({ type: 'add_tag', tag: 'novo' });

    expect(await errorOf(runId)).toEqual({
      step_id: 's',
      code: 'definition_error',
      message: 'A contact has at most 50 tags.',
    });
  });

  it('is refused for what a person said that does not fit, and changes nothing', async () => {
    await scene.hears('not an address');
    const messageId = await scene.hears('nor this');
    const step = { id: 's', type: 'set_field', field: 'email', value: '{{message.text}}' };
    const runId = await scene.start([{ ...step, next: 'end' }], { messageId });

    await scene.advance(runId);

    expect(await errorOf(runId)).toMatchObject({
      step_id: 's',
      code: 'invalid_answer',
      message: expect.stringContaining('email'),
    });
    expect(await contact()).toMatchObject({ email: null });
  });

  it('is an error of the definition where its author wrote what does not fit', async () => {
    const runId = await runOf({ type: 'set_field', field: 'birth_date', value: '2999-01-01' });

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'definition_error' });
  });

  it('adds a tag once, whatever its case and the blanks around it', async () => {
    const add = { type: 'add_tag' };
    const runId = await scene.start([
      { id: 'one', ...add, tag: 'Cliente', next: 'two' },
      { id: 'two', ...add, tag: ' cliente ', next: 'end' },
    ]);

    await scene.advance(runId);

    expect(await contact()).toMatchObject({ tags: ['VIP', 'Cliente'] });
  });

  it('takes a tag away in any case, and is written down as the automation', async () => {
    await runOf({ type: 'remove_tag', tag: 'vip' });

    expect(await contact()).toMatchObject({ tags: [] });
    const [entry] = await scene.rows<{ actor: unknown }>(
      "select actor from audit_entries where action = 'contact.updated'",
    );
    expect(entry?.actor).toMatchObject({ type: 'automation', id: expect.stringMatching(/^atm_/) });
  });

  it('leaves nothing of a step whose transaction is undone', async () => {
    const step = { id: 's', type: 'add_tag', tag: 'Novo', next: 'end' };
    const runId = await scene.start([step]);

    const undone = transact(scene.ctx, async (tx) => {
      await takeStep(tx, runId, 'lane');
      throw new Error('the process dies');
    });
    await expect(undone).rejects.toThrow('dies');
    expect(await contact()).toMatchObject({ tags: ['VIP'] });
    await scene.advance(runId);
    expect(await contact()).toMatchObject({ tags: ['VIP', 'Novo'] });
  });
});

describe('a step that works with deals', () => {
  let pipeline: APipeline;
  beforeEach(async () => {
    pipeline = await aPipeline(scene.ctx);
  });

  const deals = (): Promise<{ title: string; stage_id: string }[]> =>
    scene.rows('select title, stage_id, conversation_id from deals order by id');

  const creation = (wishes: object = {}) => ({
    type: 'create_deal',
    pipeline_id: pipeline.id,
    title: 'Pedido de {{first_name}}',
    ...wishes,
  });

  it('begins one in the first stage of the pipeline, or in the stage named', async () => {
    await runOf(creation());

    const { conversationId: conversation_id } = scene;
    const stage_id = pipeline.stages['Novo'];
    expect(await deals()).toEqual([{ title: 'Pedido de Ana', stage_id, conversation_id }]);
  });

  it('goes on with the open deal that there is', async () => {
    const stage_id = pipeline.stages['Proposta'] ?? '';
    const { contactId: contact_id } = scene;
    const { id } = await createDeal(scene.ctx, { stage_id, contact_id });

    const runId = await runOf(creation());

    expect(await deals()).toHaveLength(1);
    expect(await scene.outputs(runId, 's')).toEqual([{ deal_id: id, created: false }]);
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('moves the open deal of the pipeline, and goes on where there is none', async () => {
    const move = { type: 'move_stage', stage_id: pipeline.stages['Ganho'] };
    const steps = [
      { id: 'none', ...move, next: 'begin' },
      { id: 'begin', ...creation(), next: 'move' },
      { id: 'move', ...move, next: 'end' },
    ];
    const runId = await scene.start(steps);

    await scene.advance(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await deals()).toMatchObject([{ stage_id: pipeline.stages['Ganho'] }]);
    expect(await scene.outputs(runId, 'none')).toEqual([{ deal_id: null }]);
    const events = await scene.rows<{ payload: string }>(
      "select payload from facts where type = 'stage.changed' order by id",
    );
    expect(events.map(({ payload }) => JSON.parse(payload).data.changed_by.type)).toEqual([
      'automation',
      'automation',
    ]);
  });

  it('names the stage that is gone', async () => {
    const lost = pipeline.stages['Proposta'] ?? '';
    const runId = await scene.start([{ id: 's', type: 'move_stage', stage_id: lost, next: 'end' }]);
    await scene.rows('delete from stages where id = $1', lost);

    await scene.advance(runId);

    expect(await errorOf(runId)).toEqual({
      step_id: 's',
      code: 'definition_error',
      message: `There is no stage ${lost} any more.`,
    });
  });
});

it('a step names the automation that is gone, though a later version had let go of it', async () => {
  const { id: other } = await anAutomation(scene.ctx, { name: 'Outra' });
  const step = { id: 's', type: 'start_automation', automation_id: other, next: 'end' };
  const id = await scene.publish([step]);
  const runId = await scene.begin(id);
  const steps = [{ id: 'end', type: 'end' as const }];
  await updateAutomation(scene.ctx, id, { steps }, { trustedOrigins: [] });
  await activateAutomation(scene.ctx, id);
  await removeAutomation(scene.ctx, other);

  await scene.advance(runId);

  expect(await errorOf(runId)).toEqual({
    step_id: 's',
    code: 'definition_error',
    message: `There is no automation ${other} any more.`,
  });
});
