import { describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

const DAY_MS = 86_400_000;
const PHONE = '+5511987650001';

async function called() {
  const { ctx } = await aWorkspace(stage.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const contactId = (await aContact(ctx, { phone: PHONE })).id;
  await aConversation(ctx, { numberId, contactId });
  const ring = async (item: object): Promise<void> => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const call = { id: 'wacid.1', from: PHONE.slice(1), to: '1', timestamp, ...item };
    const value = { metadata: { phone_number_id: phoneNumberId }, calls: [call] };
    const changes = [{ field: 'calls', value }];
    await stage.post({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] });
    await stage.process();
  };
  const window = async (): Promise<number | null> => {
    const select = 'select window_expires_at as until, waiting_since from conversations';
    const [row] = await rowsOf<{ until: Date | null; waiting_since: Date | null }>(ctx, select);
    expect(row?.waiting_since).toBeNull();
    return row?.until?.getTime() ?? null;
  };
  return { ctx, ring, window };
}

describe('a call', () => {
  it('of a person opens the 24 hours again, and never shortens them', async () => {
    const { ring, window } = await called();
    const earlier = String(Math.floor(Date.now() / 1_000) - 3_600);

    await ring({ event: 'connect', direction: 'USER_INITIATED' });
    const opened = await window();
    await ring({ event: 'connect', direction: 'USER_INITIATED', timestamp: earlier });

    expect(Math.abs((opened ?? 0) - Date.now() - DAY_MS)).toBeLessThan(DAY_MS / 24);
    expect(await window()).toBe(opened);
  });

  it.each([
    ['that we made', { event: 'connect', direction: 'BUSINESS_INITIATED' }],
    ['that ended', { event: 'terminate', direction: 'USER_INITIATED' }],
  ])('%s opens nothing', async (_, item) => {
    const { ring, window } = await called();

    await ring(item);

    expect(await window()).toBeNull();
  });

  it('of a stranger makes nobody a contact', async () => {
    const { ctx, ring, window } = await called();

    await ring({ event: 'connect', direction: 'USER_INITIATED', from: '5511987650002' });

    expect(await window()).toBeNull();
    expect(await rowsOf(ctx, 'select phone from contacts')).toEqual([{ phone: PHONE }]);
  });
});
