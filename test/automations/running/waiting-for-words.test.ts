import { beforeEach, describe, expect, it } from '@jest/globals';
import { HOUR_MS } from '../../../src/durations.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);
let scene: RunScene;
beforeEach(async () => {
  scene = await aRunScene(stage);
});

const waits = [
  {
    id: 'u',
    type: 'wait_until',
    timeout: 'P3D',
    next: 'paid',
    on_timeout: 'end',
    when: { field: 'message.text', op: 'contains', value: 'pago' },
  },
  { id: 'paid', type: 'add_tag', tag: 'Pago', next: 'end' },
];

const writes = async (runId: string, text: string, type?: string): Promise<string> => {
  later(scene, HOUR_MS);
  await scene.hears(text, type);
  await scene.advance(runId);
  return (await scene.run(runId)).status;
};

describe('a condition on a message, waited for', () => {
  it.each([
    ['in its conversation', {}],
    ['without one', { conversationId: null }],
  ])('is about what the person writes meanwhile, %s', async (_, wishes) => {
    const { runId } = await play(scene, waits, wishes);

    expect(await writes(runId, 'Ainda não')).toBe('waiting');
    expect(await writes(runId, 'Já está pago')).toBe('succeeded');

    expect(await scene.outputs(runId, 'u')).toEqual([{ timed_out: false }]);
    expect(await scene.rows('select tags from contacts')).toEqual([{ tags: ['Pago'] }]);
  });

  it('is not about what was written before, nor what was edited', async () => {
    await scene.hears('Pago amanhã');
    const { runId } = await play(scene, waits);

    expect(await writes(runId, 'Pago', 'edit')).toBe('waiting');
  });

  it('is about the message that the run began with until then', async () => {
    const messageId = await scene.hears('Está pago');

    const { status } = await play(scene, waits, { messageId });

    expect(status).toBe('succeeded');
  });
});
