import { describe, expect, it } from '@jest/globals';
import { optOut } from '../../../src/contacts/opt-outs/opting-out.ts';
import { transact } from '../../../src/db/transact.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const DAY_MS = 86_400_000;
const question = {
  id: 'q',
  type: 'ask',
  text: 'Seu e-mail?',
  expects: 'email',
  timeout: 'P1D',
  next: 'right',
  on_invalid: 'wrong',
  on_timeout: 'late',
};
const ends = ['right', 'wrong', 'late'].map((id) => ({
  id,
  type: 'send_message',
  text: `${id}: {{step.q.answer|-}}`,
  next: 'end',
}));

const asked = (scene: RunScene, wishes: object = {}) =>
  play(scene, [{ ...question, ...wishes }, ...ends]);

const answer = async (
  scene: RunScene,
  runId: string,
  text: string,
  type = 'text',
): Promise<void> => {
  await scene.hears(text, type);
  await scene.advance(runId);
};

describe('ask', () => {
  it('takes the answer that fits, as steps, conditions and the contact see it', async () => {
    const scene = await aRunScene(stage);
    const { runId, status } = await asked(scene, { save_to: 'email' });
    expect(status).toBe('waiting');

    await answer(scene, runId, ' ana@example.com ');

    expect(await scene.said()).toEqual(['Seu e-mail?', 'right: ana@example.com']);
    expect(await scene.outputs(runId, 'q')).toEqual([
      { answer: 'ana@example.com', timed_out: false },
    ]);
    expect(await scene.rows('select email from contacts')).toEqual([{ email: 'ana@example.com' }]);
  });

  it('keeps a number as a number', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene, { expects: 'number', save_to: 'custom.people' });

    await answer(scene, runId, '12,5');

    expect(await scene.rows('select custom from contacts')).toEqual([{ custom: { people: 12.5 } }]);
  });

  it('asks again with its second text, so many times in all', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene, { retry_text: 'Confira o e-mail.', tries: 2 });

    await answer(scene, runId, 'ana');
    expect((await scene.run(runId)).status).toBe('waiting');
    await answer(scene, runId, 'foto', 'image');

    expect(await scene.said()).toEqual(['Seu e-mail?', 'Confira o e-mail.', 'wrong: foto']);
  });

  it('fails the run with invalid_answer where nothing else is said', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene, { on_invalid: null, tries: 1 });

    await answer(scene, runId, 'ana');

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'invalid_answer' });
    expect(await scene.said()).toEqual(['Seu e-mail?']);
  });

  it('takes no answer that its field cannot hold', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene, { expects: 'date', save_to: 'birth_date', tries: 2 });

    await answer(scene, runId, '21/11/2050');
    expect((await scene.run(runId)).status).toBe('waiting');
    await answer(scene, runId, '29/02/1988');

    expect((await scene.said()).at(-1)).toBe('right: 1988-02-29');
    expect(await scene.rows('select birth_date::text as born from contacts')).toEqual([
      { born: '1988-02-29' },
    ]);
  });

  it('goes another way when nobody answers in time', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene);
    later(scene, DAY_MS - 1);
    await scene.advance(runId);
    expect((await scene.run(runId)).status).toBe('waiting');

    later(scene, 1);
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['Seu e-mail?', 'late: -']);
  });

  it('gives the person the whole time again with each question', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene);
    later(scene, DAY_MS - 1_000);
    await answer(scene, runId, 'ana');

    expect((await scene.run(runId)).waitUntil).toEqual(new Date(scene.now.getTime() + DAY_MS));
  });

  it('waits for its number before it asks, and then for the answer', async () => {
    const scene = await aRunScene(stage);
    await scene.rows("update numbers set status = 'disconnected'");
    const { runId } = await asked(scene);
    expect(await scene.said()).toEqual([]);

    await scene.rows("update numbers set status = 'connected'");
    await scene.advance(runId);
    await answer(scene, runId, 'ana@example.com');

    expect(await scene.said()).toEqual(['Seu e-mail?', 'right: ana@example.com']);
  });

  it('never takes the word by which somebody leaves for an answer', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await asked(scene, { expects: 'text', save_to: 'custom.said' });
    const messageId = await scene.hears('SAIR');
    await transact({ ...scene.ctx, now: scene.now }, (tx) =>
      optOut(tx, scene.contactId, { source: 'message', messageId }),
    );

    await scene.advance(runId);
    expect((await scene.run(runId)).status).toBe('waiting');
    later(scene, DAY_MS);
    await scene.advance(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'send_failed' });
    expect(await scene.outputs(runId, 'q')).toEqual([{ timed_out: true }]);
    expect(await scene.said()).toEqual(['Seu e-mail?']);
    expect(await scene.rows('select custom from contacts')).toEqual([{ custom: {} }]);
  });

  it('takes nothing that was written before it asked, but what came between two tries of it', async () => {
    const scene = await aRunScene(stage);
    const runId = await scene.start([{ ...question, retry_text: 'Confira.' }, ...ends], {
      messageId: await scene.hears('Oi'),
    });
    await scene.hears('tudo bem?');
    await scene.advance(runId);
    expect(await scene.said()).toEqual(['Seu e-mail?']);

    await scene.hears('é este:');
    await scene.hears('ana@example.com');
    await scene.advance(runId);
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['Seu e-mail?', 'Confira.', 'right: ana@example.com']);
  });

  it('asks nothing while another run listens in the conversation', async () => {
    const scene = await aRunScene(stage);
    const first = await asked(scene);

    const second = await asked(scene, { text: 'Outra coisa?' });

    expect(second.status).toBe('succeeded');
    expect(await scene.said()).toEqual(['Seu e-mail?', 'late: -']);
    await answer(scene, first.runId, 'ana@example.com');
    expect((await scene.said()).at(-1)).toBe('right: ana@example.com');
  });
});

describe('wait_for_reply', () => {
  const wait = {
    id: 'q',
    type: 'wait_for_reply',
    timeout: 'PT4H',
    save_to: 'custom.size',
    next: 'right',
    on_timeout: 'late',
  };

  it('takes whatever the person writes, and saves it', async () => {
    const scene = await aRunScene(stage);
    const { runId } = await play(scene, [wait, ...ends]);

    await answer(scene, runId, 'Tamanho G');

    expect(await scene.said()).toEqual(['right: Tamanho G']);
    expect(await scene.rows('select custom from contacts')).toEqual([
      { custom: { size: 'Tamanho G' } },
    ]);
  });

  it('fails the run with invalid_answer where its field cannot hold what the person writes', async () => {
    const scene = await aRunScene(stage, { contact: { email: 'ana@example.com' } });
    const { runId } = await play(scene, [{ ...wait, save_to: 'email' }, ...ends]);

    await answer(scene, runId, 'não tenho');

    expect(await scene.run(runId)).toMatchObject({
      status: 'failed',
      step: 'q',
      code: 'invalid_answer',
    });
    expect(await scene.said()).toEqual([]);
    expect(await scene.rows('select email from contacts')).toEqual([{ email: 'ana@example.com' }]);
  });

  it('leaves the field as it is for a picture without words', async () => {
    const scene = await aRunScene(stage, { contact: { custom: { size: 'P' } } });
    const { runId } = await play(scene, [wait, ...ends]);

    await answer(scene, runId, '', 'image');

    expect(await scene.said()).toEqual(['right: -']);
    expect(await scene.rows('select custom from contacts')).toEqual([{ custom: { size: 'P' } }]);
  });

  it('knows nobody who could answer a run without a conversation', async () => {
    const scene = await aRunScene(stage);

    const { status } = await play(scene, [wait, ...ends], { conversationId: null });

    expect(status).toBe('succeeded');
    expect(await scene.said()).toEqual(['late: -']);
  });
});
