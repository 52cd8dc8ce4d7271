import { expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { removeNumber } from '../../src/numbers/removing.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

interface Sending {
  readonly number_id: string;
  readonly contact_id: string;
}

const aReminder = (ctx: Context, sending: Sending): Promise<unknown> =>
  createReminder(
    ctx,
    newReminderBody.parse({
      title: 'Aviso',
      text: 'Oi',
      target: 'contact',
      repeat: 'daily',
      time: '09:00',
      ...sending,
    }),
  );

const campaignTo = (ctx: Context, { number_id, contact_id }: Sending): Promise<unknown> =>
  aCampaign(ctx, { number_id, contact_ids: [contact_id] });

it.each([
  ['campaigns', campaignTo],
  ['reminders', aReminder],
])('a number stays while %s send by it, and the refusal says so', async (what, made) => {
  const { ctx } = await aWorkspace(database);
  const number_id = (await aNumber(ctx)).id;
  const contact_id = (await aContact(ctx)).id;
  await made(ctx, { number_id, contact_id });

  await expect(removeNumber(ctx, number_id)).rejects.toMatchObject({
    code: 'in_use',
    details: { used_by: { conversations: 0, groups: 0, [what]: 1 } },
  });
});
