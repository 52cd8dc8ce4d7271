import { describe, it } from '@jest/globals';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { opened } from '../../support/opened.ts';
import { ACTS } from './support/acts.ts';
import { playAll } from './support/play.ts';
import { HELD } from './support/points.ts';

const stage = opened(openDeliveryStage);

const acts = ACTS.filter(({ name }) => !name.startsWith('pausing'));

describe('a delivery whose endpoint is paused for two hours', () => {
  const goes = playAll(() => stage, HELD, acts, { failing: false });
  it.each(acts)('goes the way the rules say on $name meanwhile', goes);
});
