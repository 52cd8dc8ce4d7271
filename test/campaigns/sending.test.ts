import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedBy, detailOf, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from './support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());
beforeEach(() => test.faults({}));

describe('sending a batch', () => {
  it('sends to everybody exactly once and ends the campaign', async () => {
    const campaign = await running(test, ordinaryPhones(300));

    const progress = await sendAll(test, campaign);

    expect(progress).toMatchObject({ stage: 'done', sent: 300, lost: 0, left: 0 });
    const keys = acceptedBy(test, campaign).map((entry) => entry.key);
    expect(keys).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
    expect((await detailOf(test, campaign)).results).toMatchObject({ sent: 300, pending: 0 });
  });
});
