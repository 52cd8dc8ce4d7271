import { expect, it } from '@jest/globals';
import { failRun } from '../../../src/automations/failing.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import type { Context } from '../../../src/context.ts';
import { conversationFilters } from '../../../src/conversations/schema.ts';
import { listConversations } from '../../../src/conversations/service.ts';
import { transact } from '../../../src/db/transact.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const HOUR_MS = 3_600_000;
const STEPS = [
  { id: 'a', type: 'send_message', text: 'Olá!', next: 'w' },
  { id: 'w', type: 'wait', duration: 'PT1H', next: 'end' },
];
const ERROR = { code: 'send_failed', message: 'It was lost.' } as const;

it.each<[string, (ctx: Context, runId: string, scene: RunScene) => Promise<unknown>]>([
  ['ends', (_, runId, scene) => scene.advance(runId)],
  ['is cancelled', (ctx, runId) => cancelRun(ctx, runId)],
  [
    'fails',
    (ctx, runId) => failRun(ctx, { runId, stepId: 'a', stepType: 'send_message', error: ERROR }),
  ],
])(
  'who asks for what changed hears that a conversation is free again when its run %s',
  async (_, finish) => {
    const scene = await aRunScene(stage);
    const runId = await scene.start(STEPS);
    await scene.advance(runId);
    later(scene, HOUR_MS);
    const ctx: Context = { ...scene.ctx, em: scene.ctx.em.fork(), now: scene.now };
    const filters = conversationFilters.parse({ updated_since: scene.now.toISOString() });
    const changed = (): Promise<unknown[]> =>
      transact(ctx, async (tx) => {
        const { data } = await listConversations(tx, filters, { limit: 10, after: null });
        return data.map(({ handled_by }) => handled_by);
      });
    expect(await changed()).toEqual([]);

    await finish(ctx, runId, scene);

    expect(await changed()).toEqual(['none']);
  },
);

it('a conversation stays with automations while another run of theirs is there, also one that takes a step', async () => {
  const scene = await aRunScene(stage);
  const first = await scene.start(STEPS);
  const second = await scene.start(STEPS);
  await scene.advance(first);
  const ctx: Context = { ...scene.ctx, em: scene.ctx.em.fork() };
  const has = () => scene.rows('select handled_by from conversations where id = $1', talk);
  const { conversationId: talk } = await scene.run(first);

  await cancelRun(ctx, first);
  const between = await has();
  await cancelRun({ ...ctx, em: ctx.em.fork() }, second);

  expect([between, await has()]).toEqual([
    [{ handled_by: 'automation' }],
    [{ handled_by: 'none' }],
  ]);
});
