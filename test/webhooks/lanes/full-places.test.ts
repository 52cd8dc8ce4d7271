import { beforeEach, describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { until } from '../../support/processes/child.ts';
import { openRetryStage, RETRYING } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

const PLACES = 16;

describe('an endpoint that hangs when many of its retries are due', () => {
  it('takes so many places, and the rest waits in its backlog, from where it is attempted', async () => {
    const { attempt, drain, ids, rows } = await stage.scene(PLACES + 2, RETRYING);
    const [next, last] = ids.slice(PLACES);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    stage.receiver.answer = async () => {
      await answered;
      return { status: 204 };
    };

    const first = Promise.all(ids.slice(0, PLACES).map((each) => attempt(undefined, each)));
    await until('all places are taken', async () => stage.receiver.received.length === PLACES);
    const step = await attempt(undefined, next);
    answer();
    const steps = await first;

    expect(step).toMatchObject({ next: 'end', status: 'retrying', attempts: 1 });
    expect(steps.map(({ next: what }) => what)).toEqual(Array(PLACES).fill('end'));
    expect(stage.receiver.received).toHaveLength(PLACES);
    // There are places again.
    expect(await attempt(undefined, last)).toMatchObject({ next: 'end', status: 'succeeded' });
    await drain();
    const left = await rows(
      `select id, status, in_backlog, owned_by_workflow as owned, lease_until <= now() as due
       from webhook_deliveries where endpoint_id = $1 and finished_at is null`,
    );
    expect(left).toEqual([
      { id: next?.deliveryId, status: 'retrying', in_backlog: false, owned: false, due: true },
    ]);
  });
});
