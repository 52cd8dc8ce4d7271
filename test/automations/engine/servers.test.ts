import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AiServer, startAi } from '../../support/ai-server.ts';
import { keepHistory } from '../../support/histories.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/waiting.ts';
import { anEngineScene, type EngineScene } from './support/person.ts';
import { type EngineStage, openEngineStage } from './support/stage.ts';

let stage: EngineStage;
let scene: EngineScene;
let model: AiServer;
let shop: Receiver;

beforeAll(async () => {
  model = await startAi();
  shop = await startReceiver();
  stage = await openEngineStage([shop.origin], model.client);
  scene = await anEngineScene(stage);
});
afterAll(async () => {
  await stage.close();
  await shop.close();
  await model.close();
});

/** What happened is acted on, and the worker does the rest. */
async function become(runId: string, expected: object): Promise<void> {
  await stage.settle();
  await eventually(async () => {
    const run = await scene.run(runId);
    return Object.entries(expected).every(([key, value]) => Reflect.get(run, key) === value);
  });
}

describe('a run that asks servers, in the hands of a worker', () => {
  it('talks by the model until the goal is reached, one message for each answer', async () => {
    model.says('Temos! Qual sabor?', { tool: 'goal_reached', text: 'Anotado!' });
    const person = await scene.person();
    const automationId = await scene.automation([
      { id: 'talk', type: 'ai_reply', goal: 'Sell a cake.', max_turns: 3, next: 'end' },
    ]);

    const runId = await person.begin(automationId);
    await become(runId, { status: 'waiting', waitsFor: 'reply' });
    await person.writes('Coco');
    await become(runId, { status: 'succeeded' });

    expect((await person.heard()).map(({ text }) => text)).toEqual([
      'Temos! Qual sabor?',
      'Anotado!',
    ]);
    expect(model.asked()).toHaveLength(2);
    await stage.handle(runId).result();
    await keepHistory(stage.handle(runId), 'run-automation-talked');
  });

  it('calls a server once, keeps what it answered, and goes on with it', async () => {
    shop.answer = () => ({ status: 200, body: 'A-17' });
    const person = await scene.person();
    const automationId = await scene.automation(
      [
        {
          id: 'order',
          type: 'http_request',
          method: 'POST',
          url: `${shop.origin}/orders`,
          body: '{"size":"G"}',
          save_to: 'custom.order',
          next: 'tell',
        },
        { id: 'tell', type: 'send_message', text: 'Pedido {{custom.order}}', next: 'end' },
      ],
      {},
      [shop.origin],
    );

    const runId = await person.begin(automationId);
    await become(runId, { status: 'succeeded' });

    expect(shop.received).toMatchObject([
      { path: '/orders', body: '{"size":"G"}', headers: { 'idempotency-key': `${runId}-1` } },
    ]);
    expect((await person.heard()).map(({ text }) => text)).toEqual(['Pedido A-17']);
    await stage.handle(runId).result();
    await keepHistory(stage.handle(runId), 'run-automation-called');
  });
});
