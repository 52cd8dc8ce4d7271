import { beforeEach, describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { queueMessage } from '../../../src/conversations/sending/outgoing.ts';
import { transact } from '../../../src/db/transact.ts';
import { startAi } from '../../support/ai-server.ts';
import { aTemplate } from '../../support/factories/templates.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, NOON, openRunStage, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);
const server = opened(startAi);
let scene: RunScene;

beforeEach(async () => {
  server.reset();
  scene = await aRunScene(stage, { contact: { name: 'Ana' }, effects: { ai: server.client } });
});

const GOAL = 'Sell a cake.';

/** The lane hands the run to its workflow, which asks; another look goes on behind the answer. */
async function look(runId: string): Promise<void> {
  await scene.advance(runId);
  await scene.advance(runId, 'workflow');
  await scene.advance(runId, 'workflow');
}

describe('what is said around a model', () => {
  it('hands the conversation over also where its farewell is refused', async () => {
    scene = await aRunScene(stage, { number: { window: true }, effects: { ai: server.client } });
    server.says({ tool: 'hand_over', text: 'Vou chamar alguém.' });
    const messageId = await scene.hears('Oi');
    scene.now = new Date(NOON.getTime() + 25 * 3_600_000);
    const steps = [{ id: 'talk', type: 'ai_reply', goal: GOAL, next: 'end' }];
    const runId = await scene.start(steps, { messageId });

    await look(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'handed_over' });
    expect(await scene.said()).toEqual([]);
  });

  it('shows the model templates as the person reads them', async () => {
    await aTemplate(scene.ctx, scene.numberId, { name: 'pronto', text: 'Pedido {{2}}, {{1}}!' });
    await aTemplate(scene.ctx, scene.numberId, { name: 'antigo', text: 'Oi {{1}}!' });
    for (const name of ['pronto', 'antigo', 'apagado']) {
      const template = { name, language: 'pt_BR', parameters: ['Ana', '12'] };
      const { conversationId } = scene;
      await transact({ ...scene.ctx, actor: system('tests') }, (tx) =>
        queueMessage(tx, { conversationId, template, source: 'api' }),
      );
    }
    // One that was queued before its words were kept has those of today.
    await scene.rows(`update messages set text = '' where template ->> 'name' = 'antigo'`);
    const today = JSON.stringify([{ type: 'BODY', text: 'Bom dia, {{1}}!' }]);
    await scene.rows('update templates set components = $1', today);
    server.says('Temos!');

    const messageId = await scene.hears('Oi, tem bolo?');
    const steps = [{ id: 'talk', type: 'ai_reply', goal: GOAL, max_turns: 3, next: 'end' }];
    await look(await scene.start(steps, { messageId }));

    expect(server.asked()[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Pedido 12, Ana!\nBom dia, Ana!\n[template] apagado, Ana, 12' },
      { role: 'user', content: 'Oi, tem bolo?' },
    ]);
  });
});

it('shows the model nothing that its person deleted for everyone', async () => {
  const [, typo, card] = [
    await scene.hears('Oi!'),
    await scene.hears('4111'),
    await scene.hears('4222'),
  ];
  for (const [about, words] of [
    [typo, '4112'],
    [typo, ''],
    [card, ''],
  ] as const) {
    const id = await scene.hears(words, 'edit');
    await scene.rows('update messages set reply_to_id = $2 where id = $1', id, about);
  }
  server.says('Olá!');

  const messageId = await scene.hears('Tem bolo?');
  const steps = [{ id: 'talk', type: 'ai_reply', goal: GOAL, max_turns: 3, next: 'end' }];
  await look(await scene.start(steps, { messageId }));

  expect(server.asked()[0]?.messages.slice(1)).toEqual([
    { role: 'user', content: 'Oi!\nTem bolo?' },
  ]);
});

it.each(['failed', 'cancelled'])('shows the model nothing of ours that is %s', async (status) => {
  const { conversationId } = scene;
  await transact({ ...scene.ctx, actor: system('tests') }, (tx) =>
    queueMessage(tx, { conversationId, text: 'Bolo por 10 reais!', source: 'api' }),
  );
  await scene.rows('update messages set status = $1', status);
  server.says('Olá!');

  const messageId = await scene.hears('Tem bolo?');
  const steps = [{ id: 'talk', type: 'ai_reply', goal: GOAL, max_turns: 3, next: 'end' }];
  await look(await scene.start(steps, { messageId }));

  expect(server.asked()[0]?.messages.slice(1)).toEqual([{ role: 'user', content: 'Tem bolo?' }]);
});

describe('a model whose words could not be said', () => {
  const TALK = { id: 'talk', type: 'ai_reply', goal: GOAL, max_turns: 1, next: 'end' };

  it('is not asked for a 21st automated message of a conversation within an hour', async () => {
    const id = await scene.publish([TALK]);
    const codes: (string | null)[] = [];
    for (let n = 0; n < 22; n += 1) {
      const runId = await scene.begin(id, { messageId: await scene.hears(`Oi ${n}`) });
      await look(runId);
      codes.push((await scene.run(runId)).code);
    }

    expect(codes).toEqual([...Array(20).fill(null), 'loop_detected', 'loop_detected']);
    expect(await scene.said()).toHaveLength(20);
    expect(server.asked()).toHaveLength(20);
  });

  it.each(['opted_out', 'blocked'])('is not asked for somebody who is %s', async (flag) => {
    const runId = await scene.start([TALK], { messageId: await scene.hears('Oi') });
    await scene.rows(`update contacts set ${flag} = true`);

    await look(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'send_failed' });
    expect(server.asked()).toEqual([]);
  });
});
