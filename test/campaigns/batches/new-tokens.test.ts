import { describe, expect, it } from '@jest/globals';
import { haltRefused } from '../../../src/campaigns/batches/halting-number.ts';
import { transact } from '../../../src/db/transact.ts';
import { connectNumber } from '../../../src/numbers/connecting.ts';
import { untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import { detailOf, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

describe('a number that WhatsApp refused for its token', () => {
  it('stays as it is where another token is being written down at that moment', async () => {
    const made = await running(test, ordinaryPhones(2));
    const { keyring } = test.deps;
    const refused = { numberId: made.numberId, accessToken: 'sandbox' };

    const { halting } = await transact(made.ctx, async (tx) => {
      await connectNumber(tx, made.numberId, { accessToken: 'new' }, keyring);
      const halting = haltRefused(made.ctx, keyring, refused, 'disconnected', 190);
      await untilWaiting(test.database.app);
      return { halting };
    });
    await halting;

    const connected = `select count(*) as n from numbers where status = 'connected'`;
    expect(await test.countOf(made, connected)).toBe(1);
    expect((await detailOf(test, made)).status).toBe('sending');
  });
});
