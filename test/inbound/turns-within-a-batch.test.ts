import { expect, it } from '@jest/globals';
import { processDue } from '../../src/inbound/processor.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const MANY = 30;

const stage = opened(openInboundStage);

/** A workspace to which so many different people have written, and when each was taken in. */
async function writtenTo(people: number) {
  const { ctx } = await aWorkspace(stage.database);
  const phoneNumberId = String((await aNumber(ctx)).phoneNumberId);
  for (let n = 0; n < people; n++) {
    const from = `55119${70_000_000 + n}`;
    await stage.post(aMessageWebhook(phoneNumberId, { id: `wamid.${phoneNumberId}.${n}`, from }));
  }
  return async (): Promise<number[]> => {
    const rows = await rowsOf<{ at: Date }>(ctx, 'select created_at as at from messages');
    return rows.map(({ at }) => at.getTime());
  };
}

it.each([1, 4])(
  'who writes behind the crowds of %i other workspaces waits for a few of them',
  async (crowds) => {
    const crowd: Awaited<ReturnType<typeof writtenTo>>[] = [];
    for (let n = 0; n < crowds; n++) crowd.push(await writtenTo(MANY));
    const own = await writtenTo(1);
    let ms = Date.now();
    const now = (): Date => {
      ms += 1;
      return new Date(ms);
    };

    const taken = await processDue({ ...stage.options, clock: { now, skewMs: 0 } });

    const [at = 0] = await own();
    const others = (await Promise.all(crowd.map((each) => each()))).flat();
    expect(taken).toBe(crowds * MANY + 1);
    expect(others).toHaveLength(crowds * MANY);
    expect(others.filter((each) => each < at).length).toBeLessThan(10);
  },
);
