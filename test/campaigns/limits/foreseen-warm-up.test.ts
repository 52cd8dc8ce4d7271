import { expect, it } from '@jest/globals';
import { timetableOf } from '../../../src/campaigns/limits/timetable.ts';
import { warmUpCap } from '../../../src/campaigns/limits/warm-up.ts';

it.each([
  ['is over', 0, warmUpCap(4)],
  ['has not begun', warmUpCap(3), warmUpCap(3)],
])(
  'a day of warming up that %s when a campaign begins is counted as it is sent',
  (_, today, first) => {
    const { spans } = timetableOf({
      count: 1_000,
      newPeople: 1_000,
      perMinute: null,
      quiet: null,
      startsAt: new Date('2026-11-20T15:00:00Z'),
      days: { timeZone: 'America/Sao_Paulo', messages: null, warmUp: { day: 3, today } },
    });

    expect(spans[0]).toMatchObject({ messages: first });
    expect(spans[1]?.messages).toBe(warmUpCap(today === 0 ? 5 : 4));
  },
);
