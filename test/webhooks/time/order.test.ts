import { describe, expect, it } from '@jest/globals';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { opened } from '../../support/opened.ts';
import { BUSY_MS, LATEST_MS } from './support/play.ts';
import { aDeliveryScene, DAY_MS, STEPS } from './support/scene.ts';

const stage = opened(openDeliveryStage);

describe('deliveries of a failing endpoint that began at different times', () => {
  it('each keep their own: forty that failed one after the other', async () => {
    const scene = await aDeliveryScene(stage, { failing: true });
    await sentEvents(stage.database, (await scene.context()).organizationId, 40);

    await stage.advance(DAY_MS);

    await onTime(scene.endpointId);
  });

  it.each([20, 27, 50, 54, 57, 100, 205])(
    'each keep their own: another one %s seconds after the first',
    async (seconds) => {
      const scene = await aDeliveryScene(stage, { failing: true });
      await stage.advance(seconds * 1_000);
      await sentEvents(stage.database, (await scene.context()).organizationId);

      await stage.advance(DAY_MS);

      await onTime(scene.endpointId);
    },
  );
});

/** Each has its 12 attempts, none before its time, and most of them less than a second after it. */
async function onTime(endpointId: string): Promise<void> {
  const attempts = await stage.rows<{ delivery: string; at: Date }>(
    `select delivery_id as delivery, started_at as at from webhook_attempts a
     join webhook_deliveries d on d.day = a.day and d.id = a.delivery_id and d.endpoint_id = $1 order by number`,
    [endpointId],
  );
  const late: number[] = [];
  for (const of of Map.groupBy(attempts, ({ delivery }) => delivery).values()) {
    expect(of).toHaveLength(12);
    for (const [n, step] of STEPS.entries())
      late.push((of[n + 1]?.at.getTime() ?? 0) - (of[n]?.at.getTime() ?? 0) - step * 1_000);
  }
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  const usual = late.toSorted((a, b) => a - b)[Math.floor(late.length / 2)];
  expect(usual).toBeLessThan(LATEST_MS);
  expect(Math.max(...late)).toBeLessThan(LATEST_MS + BUSY_MS);
}
