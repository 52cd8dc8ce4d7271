import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import { openRetryStage, RETRYING } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

const FAILING = 'update webhook_endpoints set failures_in_row = 20 where id = $1';

describe('retries of a failing endpoint that are due at the same moment', () => {
  it('do not all go to its backlog: one workflow is left', async () => {
    const { ctx, endpointId, ids, rows, attempt } = await stage.scene(2, RETRYING);
    await rows(FAILING);

    const both = await inWorkspace(stage.database, ctx().organizationId, async (sql) => {
      await sql.rows('select from webhook_endpoints where id = $1 for update', [endpointId]);
      const steps = Promise.all(ids.map((each) => attempt(undefined, each)));
      await untilWaiting(stage.database.system, 2);
      return { steps };
    });

    expect((await both.steps).map(({ next }) => next).toSorted()).toEqual(['end', 'wait']);
    expect(stage.receiver.received).toHaveLength(1);
  });
});

describe('a retry that waits to be handed over', () => {
  it.each([
    ['paused', "status = 'paused', paused_at = now()", 'held'],
    ['deleted', 'deleted_at = now()', 'failed'],
  ])('gets no attempt when its endpoint is %s by then', async (_, set, status) => {
    const { ctx, endpointId, rows, attempt, stored } = await stage.scene(1, RETRYING);
    await rows(FAILING);

    const waiting = await inWorkspace(stage.database, ctx().organizationId, async (sql) => {
      await sql.rows(`update webhook_endpoints set ${set} where id = $1`, [endpointId]);
      const step = attempt();
      await untilWaiting(stage.database.system);
      return { step };
    });

    expect(await waiting.step).toMatchObject({ next: 'end', status });
    expect(stage.receiver.received).toEqual([]);
    expect(await stored()).toMatchObject({ status, attempts: 1 });
  });
});
