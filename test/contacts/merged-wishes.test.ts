import { describe, expect, it } from '@jest/globals';
import { phoneKey } from '../../src/contacts/identity/phones.ts';
import { claimConfirmation, optIn, optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: contactRoutes }));

const merge = (id: string, contact_id: string) =>
  door.call('POST', `/contacts/${id}/merge`, { contact_id });

describe('merging people who said what they want', () => {
  it('keeps what the business was told above WhatsApp’s switch, which may be switched back', async () => {
    const stays = await aContact(door.ctx);
    // Nothing of it is on the list of opted-out identities.
    const goes = await aContact(door.ctx, { phone: null, email: 'ana@example.com' });
    await transact(door.ctx, async (tx) => {
      await optOut(tx, stays.id, { source: 'whatsapp', messageId: null });
      await optOut(tx, goes.id, { source: 'member', messageId: null });
    });

    expect((await merge(stays.id, goes.id)).body.opt_out_source).toBe('member');
  });

  it('lets an opt-out that comes late undo no words that were written after it', async () => {
    const [stays, goes] = [await aContact(door.ctx), await aContact(door.ctx)];
    const [before, now] = [new Date(+door.ctx.now - 60_000), door.ctx.now];
    await transact(door.ctx, (tx) => optIn(tx, goes.id, { source: 'message', at: now }));

    await merge(stays.id, goes.id);

    const late = { source: 'message', messageId: null, at: before } as const;
    expect(await transact(door.ctx, (tx) => optOut(tx, stays.id, late))).toBe(false);
  });

  it('confirms an opt-out once in 24 hours, whichever of the two it was confirmed to', async () => {
    const [stays, goes] = [await aContact(door.ctx), await aContact(door.ctx)];
    await transact(door.ctx, (tx) => optOut(tx, goes.id, { source: 'message', messageId: null }));
    const claimed = (id: string) => transact(door.ctx, (tx) => claimConfirmation(tx, id));
    const first = await claimed(goes.id);

    await merge(stays.id, goes.id);

    expect([first, await claimed(stays.id)]).toEqual([true, false]);
  });

  it('puts words on the list above WhatsApp’s switch, though that came later', async () => {
    const [stays, goes] = [await aContact(door.ctx), await aContact(door.ctx)];
    const listed = (phone: string | null, source: string, days: number): Promise<unknown> =>
      rowsOf(
        door.ctx,
        `insert into opt_outs (organization_id, identity_hash, source, created_at)
         values ($1, wms.identity_hash($1, 'phone', $2), $3, now() - $4 * interval '1 day')`,
        [door.ctx.organizationId, phoneKey(phone ?? ''), source, days],
      );
    await listed(stays.phone, 'whatsapp', 1);
    await listed(goes.phone, 'message', 2);

    expect((await merge(stays.id, goes.id)).body.opt_out_source).toBe('message');
  });
});
