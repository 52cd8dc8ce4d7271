import { expect, it } from '@jest/globals';
import { setGuards } from '../../../src/campaigns/limits/guards.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { opened } from '../../support/opened.ts';
import { another, detailOf, drafted, freeze } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

it('the frequency cap holds for two campaigns that are written down at once', async () => {
  const one = await drafted(test, ordinaryPhones(900));
  await setGuards(one.ctx, { cap: { messages: 1, days: 7 } });
  const both = [one, await another(one, one.contactIds.toReversed())];
  for (const { ctx, ref } of both) await sendCampaign(ctx, ref.campaignId);

  await Promise.all(both.map((made) => freeze(test, made)));

  const audiences = await Promise.all(
    both.map(async (made) => (await detailOf(test, made)).audience),
  );
  const sum = (of: (audience: (typeof audiences)[number]) => number): number =>
    audiences.reduce((total, audience) => total + of(audience), 0);
  expect(sum(({ eligible }) => eligible)).toBe(900);
  expect(sum(({ excluded }) => excluded.frequency_cap ?? 0)).toBe(900);
});

it('two guards that are set at once are both kept', async () => {
  const { ctx } = await drafted(test, ordinaryPhones(1));
  const quiet = { from: '21:00', to: '08:00' };
  const cap = { messages: 2, days: 7 };
  for (let tries = 0; tries < 10; tries++) {
    await setGuards(ctx, { quiet: null, cap: null });

    await Promise.all([setGuards(ctx, { quiet }), setGuards(ctx, { cap })]);

    expect(await setGuards(ctx, {})).toMatchObject({ quiet, cap });
  }
});
