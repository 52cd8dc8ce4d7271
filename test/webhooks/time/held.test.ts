import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { type DeliveryStage, openDeliveryStage } from '../../support/delivery-stage.ts';
import { ACTS } from './support/acts.ts';
import { play } from './support/play.ts';
import { HELD } from './support/points.ts';

let stage: DeliveryStage;

beforeAll(async () => {
  stage = await openDeliveryStage();
});
afterAll(() => stage.close());

describe('a delivery whose endpoint is paused for two hours', () => {
  it.each(ACTS.filter(({ name }) => !name.startsWith('pausing')))(
    'goes the way the rules say on $name meanwhile',
    (act) => play(stage, HELD, act, { failing: false }),
  );
});
