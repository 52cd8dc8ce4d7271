import { describe, it } from '@jest/globals';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { opened } from '../../support/opened.ts';
import { ACTS } from './support/acts.ts';
import { playAll } from './support/play.ts';
import { POINTS } from './support/points.ts';

const stage = opened(openDeliveryStage);

const acts = ACTS.filter(({ anyLane }) => !anyLane);

describe.each(POINTS)('a delivery of a failing endpoint with a backlog, $name,', (point) => {
  const goes = playAll(() => stage, point, acts, { failing: true });
  it.each(acts)('goes the way the rules say on $name', goes);
});
