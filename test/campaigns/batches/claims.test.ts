import { expect, it } from '@jest/globals';
import { claim, PLANNED_ONCE } from '../../../src/campaigns/batches/claims.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { holdNumber } from '../../../src/numbers/pacer.ts';
import { opened } from '../../support/opened.ts';
import { running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

it('nobody is claimed while WhatsApp holds the number back, though the batch began before that', async () => {
  const { ref, numberId } = await running(test, ordinaryPhones(2));
  const { organizationId } = ref;
  const request = { ...ref, numberId, window24h: false, limitsRevision: 0, token: 'mine' };

  const claimed = await inWorkspace(
    test.database,
    organizationId,
    async (sql) => {
      const claimSome = async (): Promise<number> =>
        (await claim(sql, { ...request, limit: 10, now: new Date() })).claimed.length;
      await holdNumber(sql, { organizationId, numberId }, { retryAfterMs: 60_000, slows: false });
      const held = await claimSome();
      await sql.rows('update pacers set held_until = now() where number_id = $1', [numberId]);
      return [held, await claimSome()];
    },
    PLANNED_ONCE,
  );

  expect(claimed).toEqual([0, 2]);
});
