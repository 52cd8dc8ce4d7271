import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { lockNumber } from '../../src/numbers/known.ts';
import { numberWebhook } from '../../src/simulator/webhooks/envelopes.ts';
import { untilWaiting } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

it('what WhatsApp says of a number is written down while somebody gives it a new access token', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const connected = { provider: 'cloud_api', phoneNumberId: '773', accessToken: 'EAAB' } as const;
  const { id } = await aNumber(ctx, connected);
  await stage.post(numberWebhook('773', 'UNFLAGGED'));
  await stage.process();
  await stage.post(numberWebhook('773', 'FLAGGED'));

  const { told } = await transact(ctx, async (tx) => {
    await lockNumber(tx, id);
    const told = stage.process();
    await untilWaiting(stage.database.system);
    // What connecting it writes last is still to be had.
    await tx.sql.rows('select from number_health for update nowait');
    await connectNumber(tx, id, { accessToken: 'EAAC' }, testKeyring);
    return { told };
  });
  await told;

  expect(await rowsOf(ctx, 'select quality from number_health')).toEqual([{ quality: 'red' }]);
});
