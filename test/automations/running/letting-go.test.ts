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
