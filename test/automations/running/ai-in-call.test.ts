import { beforeEach, describe, expect, it } from '@jest/globals';
import { startAi } from '../../support/ai-server.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);
const server = opened(startAi);
let scene: RunScene;

beforeEach(async () => {
  server.reset();
  scene = await aRunScene(stage, { effects: { ai: server.client } });
  server.says('Temos!', 'Qual sabor?');
});

const TALK = { id: 'talk', type: 'ai_reply', goal: 'Sell a cake.', max_turns: 5, next: 'end' };
const QUESTION = {
  id: 'q',
  type: 'ask',
  text: 'Seu nome?',
  timeout: 'P1D',
  next: 'end',
  on_invalid: 'end',
  on_timeout: 'end',
};

/** A talk whose model has said so many messages and is about to be asked for the next. */
async function inCall(turns: 0 | 1): Promise<string> {
  const runId = await scene.start([TALK], { messageId: await scene.hears('Oi, tem bolo?') });
  await scene.advance(runId);
  if (turns === 0) return runId;
  await scene.advance(runId, 'workflow');
  later(scene, 60_000);
  await scene.hears('Quero um');
  await scene.advance(runId);
  return runId;
}

/** Another run begins with this step meanwhile. */
async function meanwhile(step: object, priority = 0): Promise<string> {
  const id = await scene.publish([step], [], { entry: { priority } });
  const runId = await scene.begin(id);
  await scene.advance(runId);
  return runId;
}

describe.each([0, 1] as const)('while the model is asked after %i messages of its own', (turns) => {
  const before = ['Temos!', 'Qual sabor?'].slice(0, turns);
  const next = turns === 0 ? 'Temos!' : 'Qual sabor?';

  it.each([QUESTION, { ...TALK, id: 'other' }])(
    'no other run of the same priority begins with $type: the talk goes on',
    async (step) => {
      const talk = await inCall(turns);
      const other = await meanwhile(step);
      expect(await scene.run(other)).toMatchObject({ status: 'succeeded' });

      await scene.advance(talk, 'workflow');

      expect(await scene.said()).toEqual([...before, next]);
      expect(await scene.run(talk)).toMatchObject({ status: 'waiting', step: 'talk' });
    },
  );

  it('a more important question is asked, and the talk ends without another word', async () => {
    const talk = await inCall(turns);
    const other = await meanwhile(QUESTION, 9);

    await scene.advance(talk, 'workflow');
    await scene.advance(talk, 'workflow');

    expect(await scene.said()).toEqual([...before, 'Seu nome?']);
    expect(await scene.run(talk)).toMatchObject({ status: 'succeeded' });
    expect(await scene.run(other)).toMatchObject({ status: 'waiting', step: 'q' });
  });

  it('what it answers is not said once a more important question was asked', async () => {
    const talk = await inCall(turns);
    const { answer } = server.receiver;
    server.receiver.answer = async (request) => {
      await meanwhile(QUESTION, 9);
      return answer(request);
    };

    await scene.advance(talk, 'workflow');
    await scene.advance(talk, 'workflow');

    expect(await scene.said()).toEqual([...before, 'Seu nome?']);
    expect(await scene.run(talk)).toMatchObject({ status: 'succeeded' });
  });
});

it('a talk takes nothing that was written before its last words for a reply to them', async () => {
  const listen = {
    id: 'hear',
    type: 'wait_for_reply',
    timeout: 'P1D',
    next: 'end',
    on_timeout: 'end',
  };
  const steps = [{ ...TALK, max_turns: 1, next: 'hear' }, listen];
  const runId = await scene.start(steps, { messageId: await scene.hears('Oi, tem bolo?') });
  const { answer } = server.receiver;
  server.receiver.answer = async (request) => {
    await scene.hears('De chocolate');
    return answer(request);
  };
  await scene.advance(runId);
  await scene.advance(runId, 'workflow');
  await scene.advance(runId, 'workflow');
  expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'hear' });

  await scene.hears('Rua A, 1');
  await scene.advance(runId, 'workflow');

  expect(await scene.outputs(runId, 'hear')).toEqual([{ answer: 'Rua A, 1', timed_out: false }]);
});
