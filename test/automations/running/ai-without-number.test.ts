import { beforeEach, describe, expect, it } from '@jest/globals';
import { startAi } from '../../support/ai-server.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);
const server = opened(startAi);
let scene: RunScene;

beforeEach(async () => {
  server.reset();
  server.says('Temos!', 'Qual sabor?');
  scene = await aRunScene(stage, { effects: { ai: server.client } });
});

const MINUTE = 60_000;
const TALK = { id: 'talk', type: 'ai_reply', goal: 'Sell a cake.', max_turns: 2, next: 'end' };

const numberIs = (status: string) => scene.rows(`update numbers set status = '${status}'`);

const begun = async (): Promise<string> =>
  scene.start([TALK], { messageId: await scene.hears('Oi, tem bolo?') });

/** The lane looks and hands the run to its workflow, which asks. */
async function look(runId: string): Promise<void> {
  later(scene, MINUTE);
  await scene.advance(runId);
  await scene.advance(runId, 'workflow');
}

const stands = async (runId: string): Promise<object | undefined> =>
  (
    await scene.rows<object>(
      `select status, waits_for as "waitsFor", error ->> 'code' as error from automation_runs where id = $1`,
      runId,
    )
  )[0];

const forItsNumber = { status: 'waiting', waitsFor: 'condition', error: null };
const forAReply = { status: 'waiting', waitsFor: 'reply', error: null };

describe('a talk by the model whose number is away', () => {
  it('waits for it before the model is asked', async () => {
    await numberIs('disconnected');
    const runId = await begun();
    await look(runId);
    await look(runId);
    expect(await stands(runId)).toEqual(forItsNumber);
    expect(server.asked()).toEqual([]);
    await numberIs('connected');

    await look(runId);

    expect(await stands(runId)).toEqual(forAReply);
    expect(await scene.said()).toEqual(['Temos!']);
  });

  it('asks again when it went while the model was asked, with what the person has written since', async () => {
    server.receiver.answer = async () => {
      await numberIs('disconnected');
      server.says('De coco!');
      return { status: 200, body: '{"choices":[{"message":{"content":"Temos!"}}]}' };
    };
    const runId = await begun();
    await look(runId);
    expect(await stands(runId)).toEqual(forItsNumber);
    later(scene, MINUTE);
    await scene.hears('De coco?');
    await numberIs('connected');

    await look(runId);

    expect(await scene.said()).toEqual(['De coco!']);
    expect(server.asked().at(-1)?.messages.slice(1)).toEqual([
      { role: 'user', content: 'Oi, tem bolo?\nDe coco?' },
    ]);
  });

  it('keeps count of its messages', async () => {
    const runId = await begun();
    await look(runId);
    await numberIs('disconnected');
    later(scene, MINUTE);
    await scene.hears('Quero um');
    await look(runId);
    expect(await stands(runId)).toEqual(forItsNumber);
    await numberIs('connected');

    await look(runId);
    await scene.advance(runId, 'workflow');

    expect(await scene.said()).toEqual(['Temos!', 'Qual sabor?']);
    expect(await stands(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.outputs(runId, 'talk')).toMatchObject([{ turns: 2 }]);
  });

  it('says nothing if another run listens by the time it is back', async () => {
    await numberIs('disconnected');
    const runId = await begun();
    await look(runId);
    const listening = { type: 'wait_for_reply', timeout: 'P1D', next: 'end', on_timeout: 'end' };
    const other = await scene.begin(await scene.publish([{ id: 'w', ...listening }], []));
    await scene.advance(other);
    await numberIs('connected');

    await look(runId);

    expect(await stands(runId)).toMatchObject({ status: 'succeeded' });
    expect(await stands(other)).toEqual(forAReply);
    expect(server.asked()).toEqual([]);
  });

  it('fails after an hour', async () => {
    await numberIs('disconnected');
    const runId = await begun();
    await look(runId);
    later(scene, 60 * MINUTE);

    await look(runId);

    expect(await stands(runId)).toMatchObject({ status: 'failed', error: 'number_unavailable' });
    expect(server.asked()).toEqual([]);
  });
});
