import { describe, expect, it } from '@jest/globals';
import { phoneKey } from '../../src/contacts/identity/phones.ts';
import { claimConfirmation, optIn, optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openLife } from './support/life.ts';

const life = opened(openLife);

const merge = (id: string, contact_id: string) => life.call('POST', `/${id}/merge`, { contact_id });

describe('merging people who said what they want', () => {
  it('keeps what the business was told above WhatsApp’s switch, which may be switched back', async () => {
    const stays = await aContact(life.ctx);
    // Nothing of it is on the list of opted-out identities.
    const goes = await aContact(life.ctx, { phone: null, email: 'ana@example.com' });
    await transact(life.ctx, async (tx) => {
      await optOut(tx, stays.id, { source: 'whatsapp', messageId: null });
      await optOut(tx, goes.id, { source: 'member', messageId: null });
    });

    expect((await merge(stays.id, goes.id)).body.opt_out_source).toBe('member');
  });

  it('lets an opt-out that comes late undo no words that were written after it', async () => {
    const stays = await aContact(life.ctx);
    const goes = await aContact(life.ctx);
    const before = new Date(+life.ctx.now - 60_000);
    const now = life.ctx.now;
    await transact(life.ctx, (tx) => optIn(tx, goes.id, { source: 'message', at: now }));

    await merge(stays.id, goes.id);

    const late = { source: 'message', messageId: null, at: before } as const;
    expect(await transact(life.ctx, (tx) => optOut(tx, stays.id, late))).toBe(false);
  });

  it('confirms an opt-out once in 24 hours, whichever of the two it was confirmed to', async () => {
    const stays = await aContact(life.ctx);
    const goes = await aContact(life.ctx);
    await transact(life.ctx, (tx) => optOut(tx, goes.id, { source: 'message', messageId: null }));
    const claimed = (id: string) => transact(life.ctx, (tx) => claimConfirmation(tx, id));
    const first = await claimed(goes.id);

    await merge(stays.id, goes.id);

    expect([first, await claimed(stays.id)]).toEqual([true, false]);
  });

  it('puts words on the list above WhatsApp’s switch, though that came later', async () => {
    const stays = await aContact(life.ctx);
    const goes = await aContact(life.ctx);
    const listed = (phone: string | null, source: string, days: number): Promise<unknown> =>
      rowsOf(
        life.ctx,
        `insert into opt_outs (organization_id, identity_hash, source, created_at)
         values ($1, wms.identity_hash($1, 'phone', $2), $3, now() - $4 * interval '1 day')`,
        [life.ctx.organizationId, phoneKey(phone ?? ''), source, days],
      );
    await listed(stays.phone, 'whatsapp', 1);
    await listed(goes.phone, 'message', 2);

    expect((await merge(stays.id, goes.id)).body.opt_out_source).toBe('message');
  });

  it('takes them out of the campaigns that wait to be sent to either', async () => {
    const stays = await life.aPerson('Elza', '+5511982200001');
    const goes = await aContact(life.ctx);
    await transact(life.ctx, (tx) => optOut(tx, goes.id, { source: 'message', messageId: null }));

    await merge(stays.id, goes.id);

    const recipients = await life.rows(
      'select status, reason from campaign_recipients where campaign_id = $1',
      [stays.campaign],
    );
    expect(recipients).toEqual([{ status: 'skipped', reason: 'opted_out' }]);
  });
});
