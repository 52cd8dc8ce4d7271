import { expect, it } from '@jest/globals';
import { createPipeline } from '../../../src/pipelines/managing.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { openShell } from '../../support/shell.ts';

const shell = opened(openShell);

it('wms trigger says that a deal in a pipeline of one stage has nowhere to move', async () => {
  await aNumber(shell.ctx);
  await createPipeline(shell.ctx, { name: 'Um', stages: [{ name: 'Novo', kind: 'open' }] });
  const trigger = () => shell.wmsInWords('trigger', 'stage.changed');

  const entered = await trigger();
  const stuck = await trigger();

  expect([entered.code, entered.out]).toEqual([0, expect.stringContaining('enters Novo')]);
  expect([stuck.code, stuck.err]).toEqual([1, expect.stringContaining('has one stage')]);
});
