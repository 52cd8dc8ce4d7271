import { describe, expect, it } from '@jest/globals';
import { viewCampaign } from '../../src/campaigns/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const shell = opened(openShell);

let made = 0;
const aCloudNumber = () => {
  made += 1;
  return aNumber(shell.ctx, {
    provider: 'cloud_api',
    phoneNumberId: `${made}`,
    accessToken: 'EAA',
  });
};

describe('the throughput that WhatsApp grants a number', () => {
  it.each([
    ['shared', 1_200, 960],
    ['high', 60_000, 4_800],
    ['standard', 4_800, 3_840],
  ])(
    'is %s: %i messages a minute, of which campaigns take at most %i',
    async (said, most, pace) => {
      const { id: number_id } = await aCloudNumber();
      const contact_ids = [(await aContact(shell.ctx)).id];
      const { id } = await aCampaign(shell.ctx, { number_id, contact_ids, pace: 4_800 });

      const set = await shell.wms('number', 'throughput', number_id, said);

      expect(set.json).toEqual({ number_id, messages_a_minute: most });
      const { effective_pace } = await inWorkspace(
        shell.database,
        shell.ctx.organizationId,
        (sql) => viewCampaign({ ...shell.ctx, sql }, id),
      );
      expect(effective_pace).toBe(pace);
    },
  );

  it('is one of three, and of the Cloud API alone', async () => {
    const { id } = await aNumber(shell.ctx);
    const cloud = await aCloudNumber();

    expect((await shell.wms('number', 'throughput', cloud.id, 'unlimited')).code).toBe(1);
    expect((await shell.wms('number', 'throughput', id, 'high')).code).toBe(1);
    expect((await shell.wms('number', 'throughput', 'num_x', 'high')).code).toBe(1);
  });
});
