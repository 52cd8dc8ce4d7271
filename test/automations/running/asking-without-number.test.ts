import { describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const numberIs = (scene: RunScene, status: string) =>
  scene.rows(`update numbers set status = '${status}'`);

const asking = (name: string, wishes: object = {}) => [
  {
    id: 'q',
    type: 'ask',
    text: `${name}?`,
    timeout: 'P1D',
    ...wishes,
    next: 'right',
    on_invalid: 'end',
    on_timeout: 'late',
  },
  { id: 'right', type: 'send_message', text: `${name} right`, next: 'end' },
  { id: 'late', type: 'send_message', text: `${name} late`, next: 'end' },
];

describe.each(['lane', 'workflow'] as const)(
  'a question that waits for its number, by the %s',
  (by) => {
    it('is not asked if another was asked when the number was back', async () => {
      const scene = await aRunScene(stage);
      await numberIs(scene, 'disconnected');
      const { runId: a } = await play(scene, asking('A'));
      const { runId: b } = await play(scene, asking('B'));
      await numberIs(scene, 'connected');

      await scene.advance(a, by);
      await scene.advance(b, by);

      expect(await scene.said()).toEqual(['A?', 'B late']);
      expect(await scene.run(b)).toMatchObject({ status: 'succeeded' });
      await scene.hears('Sim');
      await scene.advance(a, by);
      await scene.advance(a, by);
      expect((await scene.said()).at(-1)).toBe('A right');
    });

    it('is asked in place of a less important one', async () => {
      const scene = await aRunScene(stage);
      await numberIs(scene, 'disconnected');
      const { runId: a } = await play(scene, asking('A'));
      const important = await scene.publish(asking('B'), [], { entry: { priority: 9 } });
      const b = await scene.begin(important);
      await scene.advance(b);
      await numberIs(scene, 'connected');

      await scene.advance(a, by);
      await scene.advance(b, by);
      await scene.advance(a, by);

      expect(await scene.said()).toEqual(['A?', 'B?', 'A late']);
      expect(await scene.run(b)).toMatchObject({ status: 'waiting', step: 'q' });
    });

    it('is not asked again if another run listens by then', async () => {
      const scene = await aRunScene(stage);
      const { runId: a } = await play(scene, asking('A', { expects: 'email', tries: 3 }));
      await numberIs(scene, 'disconnected');
      later(scene, 1_000);
      await scene.hears('não sei');
      await scene.advance(a, by);
      const listening = { type: 'wait_for_reply', timeout: 'P1D', next: 'end', on_timeout: 'end' };
      const { runId: b } = await play(scene, [{ id: 'w', ...listening }]);
      await numberIs(scene, 'connected');

      await scene.advance(a, by);
      await scene.advance(a, by);

      expect(await scene.said()).toEqual(['A?', 'A late']);
      expect(await scene.run(b)).toMatchObject({ status: 'waiting', step: 'w' });
    });
  },
);
