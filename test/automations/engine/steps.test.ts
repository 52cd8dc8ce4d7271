import { beforeEach, describe, expect, it } from '@jest/globals';
import { getAutomation, listAutomations } from '../../../src/automations/reading.ts';
import type { AutomationDetail } from '../../../src/automations/schema.ts';
import type { ReadContext } from '../../../src/context.ts';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { measures, noFigures } from '../../../src/relay/figures.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, type RunScene } from '../running/support/scene.ts';

let scene: RunScene;

const stage = opened(openRunStage);
beforeEach(async () => {
  scene = await aRunScene(stage);
});

const say = (id: string, next: string) => ({ id, type: 'send_message', text: id, next });

const steps = (runId: string) =>
  scene.rows<{ seq: number; id: string; status: string }>(
    'select seq, step_id as id, status from automation_run_steps where run_id = $1 order by seq',
    runId,
  );

/** The automations as their authors see them. */
const listed = async (ctx: ReadContext): Promise<AutomationDetail[]> => {
  const { data } = await listAutomations(ctx, {}, { limit: 10, after: null });
  return Promise.all(data.map(({ id }) => getAutomation(ctx, id)));
};

const told = () => scene.rows("select from facts where is_event and type = 'automation.failed'");

describe('the steps of a run', () => {
  it('are each taken once, however many take them at a time', async () => {
    const runId = await scene.start([say('a', 'b'), say('b', 'c'), say('c', 'd'), say('d', 'end')]);

    await Promise.all(Array.from({ length: 6 }, () => scene.advance(runId)));

    expect(await scene.said()).toEqual(['a', 'b', 'c', 'd']);
    expect((await steps(runId)).map(({ seq, id }) => `${seq} ${id}`)).toEqual([
      '1 a',
      '2 b',
      '3 c',
      '4 d',
      '5 end',
    ]);
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('that fail end the run and tell so once, whoever finds it', async () => {
    const runId = await scene.start([
      { id: 'bad', type: 'send_message', text: '{{custom.nothing}}', next: 'end' },
    ]);

    await Promise.all(Array.from({ length: 4 }, () => scene.advance(runId)));
    await scene.advance(runId, 'workflow');

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'send_failed' });
    expect(await steps(runId)).toMatchObject([{ id: 'bad', status: 'failed' }]);
    expect(await told()).toHaveLength(1);
  });

  it('end in failure after 100 between two messages of a person', async () => {
    const runId = await scene.start([
      { id: 'turn', type: 'wait', duration: 'PT1M', next: 'back' },
      { id: 'back', type: 'go_to', to: 'turn', max_times: 100, next: 'end' },
    ]);

    for (let minutes = 0; minutes < 60; minutes += 1) {
      await scene.advance(runId);
      later(scene, 60_000);
    }

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'loop_detected' });
    const taken = await steps(runId);
    expect(taken.filter(({ status }) => status === 'succeeded')).toHaveLength(100);
    expect(taken.at(-1)).toMatchObject({ seq: 101, status: 'failed' });
    expect(await told()).toHaveLength(1);
    const figures = noFigures();
    await measures.drops(sqlOver(stage.database.system), figures);
    expect(figures).toMatchObject({ runsLooped: 1, triggersDropped: {} });
    // It did start a run, which its author sees to have failed.
    const [shown] = await inWorkspace(stage.database, scene.ctx.organizationId, (sql) =>
      listed({ ...scene.ctx, sql }),
    );
    expect(shown?.runs_dropped).toEqual({});
  });

  it('go on while somebody writes', async () => {
    const runId = await scene.start([
      { id: 'turn', type: 'wait', duration: 'PT1M', next: 'back' },
      { id: 'back', type: 'go_to', to: 'turn', max_times: 100, next: 'end' },
    ]);

    for (let minutes = 0; minutes < 60; minutes += 1) {
      await scene.advance(runId);
      if (minutes === 30) await scene.hears('Oi');
      later(scene, 60_000);
    }

    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'turn' });
  });
});
