import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { type DeliveryStage, openDeliveryStage } from '../../support/delivery-stage.ts';
import { ACTS } from './support/acts.ts';
import { play } from './support/play.ts';
import { POINTS } from './support/points.ts';

let stage: DeliveryStage;

beforeAll(async () => {
  stage = await openDeliveryStage();
});
afterAll(() => stage.close());

describe.each(POINTS)('a delivery of a failing endpoint with a backlog, $name,', (point) => {
  it.each(ACTS.filter(({ anyLane }) => !anyLane))('goes the way the rules say on $name', (act) =>
    play(stage, point, act, { failing: true }),
  );
});
