import { describe, it } from '@jest/globals';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { opened } from '../../support/opened.ts';
import { ACTS } from './support/acts.ts';
import { playAll } from './support/play.ts';
import { POINTS } from './support/points.ts';

const stage = opened(openDeliveryStage);

describe.each(POINTS)('a delivery with retries of its own, $name,', (point) => {
  const goes = playAll(() => stage, point, ACTS, { failing: false });
  it.each(ACTS)('goes the way the rules say on $name', goes);
});
