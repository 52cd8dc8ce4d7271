import { describe, expect, it } from '@jest/globals';
import { deactivateAutomation } from '../../src/automations/transitions.ts';
import { startDeactivation } from '../../src/relay/reactions.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import type { Said } from '../support/shell.ts';
import { eventually } from '../support/waiting.ts';
import { openOperated } from './support/operated.ts';

const operated = opened(openOperated);

const ops = (...args: string[]): Promise<Said> =>
  operated.shell.wmsAnywhere('ops', ...args, '--json');

/** An automation with a run that waits. */
async function anAutomation() {
  const run = await operated.make.run();
  const [row] = await rowsOf<{ id: string }>(
    operated.shell.ctx,
    'select automation_id as id from automation_runs where id = $1',
    [run.id],
  );
  return { id: row?.id ?? '', run };
}

/** Turned off while its run is in the middle of a step, which is over then. */
async function aStopped() {
  const { ctx } = operated.shell;
  const { id, run } = await anAutomation();
  const setLease = (until: string) =>
    rowsOf(ctx, `update automation_runs set lease_until = ${until} where id = $1`, [run.id]);
  await setLease("now() + interval '1 hour'");
  await deactivateAutomation(ctx, id, 'cancel');
  await setLease('null');
  return { id, run };
}

describe('wms ops and an automation', () => {
  it('agree on one whose runs may go on, also once it is turned off', async () => {
    const { ctx } = operated.shell;
    const { id } = await anAutomation();

    const { json: on } = await ops('explain', id);
    await deactivateAutomation(ctx, id, 'finish');
    const { json: off } = await ops('explain', id);

    expect(on).toMatchObject({ kind: 'automation', agree: true, row: 'active, 1 runs go on' });
    expect(off).toMatchObject({ agree: true, row: 'inactive, 1 runs go on' });
  });

  it('name one whose runs are to end though nothing ends them, and have them ended', async () => {
    const { id, run } = await aStopped();

    const { json: explained } = await ops('explain', id);
    const { json: done } = await ops('reconcile', id);
    await eventually(async () => (await run.status()) === 'cancelled');
    const { json: after } = await ops('explain', id);

    expect(explained).toMatchObject({ agree: false, workflow: { state: 'missing' } });
    expect(explained.row).toBe('inactive, 1 runs go on, 1 of them are to end');
    expect(done.done).toBe('Its workflow was started.');
    expect(after).toMatchObject({ agree: true, row: 'inactive, 0 runs go on' });
  });

  it('begin again what was terminated, for there is no row to end', async () => {
    const { shell, client } = operated;
    const { id, run } = await aStopped();
    const { workflowId } = startDeactivation(shell.ctx.organizationId, id);
    await client.workflow.start('nobodyRunsThis', { workflowId, taskQueue: 'none', args: [] });
    await operated.terminate(workflowId);

    const { json: explained } = await ops('explain', id);
    const refused = await ops('reconcile', id, '--end');
    const { json: done } = await ops('reconcile', id);

    expect(explained).toMatchObject({ agree: false, workflow: { state: 'terminated' } });
    expect([refused.code, refused.json.error.message]).toEqual([
      1,
      'Its runs end at their next step; there is no row to end.',
    ]);
    expect(done.done).toBe('Its workflow was started.');
    await eventually(async () => (await run.status()) === 'cancelled');
  });
});

describe('wms ops reconcile --end', () => {
  it('does nothing to what is over', async () => {
    const { id } = await operated.make.reminder();
    await ops('reconcile', id, '--end');

    const { json } = await ops('reconcile', id, '--end');

    expect(json).toMatchObject({ agree: true, status: 'cancelled', done: 'Nothing was done.' });
  });
});
