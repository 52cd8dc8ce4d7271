import { expect, it } from '@jest/globals';
import { deleteContact } from '../../src/contacts/deleting.ts';
import type { Context } from '../../src/context.ts';
import { closeConversation } from '../../src/conversations/service.ts';
import { createDeal, moveDeal } from '../../src/pipelines/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

/** Something of a contact's, and a change of it to which automations listen. */
type Change = (ctx: Context, contactId: string) => Promise<(ctx: Context) => Promise<unknown>>;

const moving: Change = async (ctx, contact_id) => {
  const { Novo: stage_id = '', Proposta: next = '' } = (await aPipeline(ctx)).stages;
  const { id } = await createDeal(ctx, { stage_id, contact_id });
  return (as) => moveDeal(as, id, { stage_id: next });
};

const closing: Change = async (ctx, contactId) => {
  const id = await aConversation(ctx, { numberId: (await aNumber(ctx)).id, contactId });
  return (as) => closeConversation(as, id);
};

/** All that knows the contact. */
const LEFT = `
select (select count(*) from contacts where id = $1) + (select count(*) from deals where contact_id = $1)
  + (select count(*) from conversations where contact_id = $1)
  + (select count(*) from automation_triggers where contact_id = $1) as count`;

it.each([
  ['deal is moved', 'stage_changed', moving],
  ['conversation is closed', 'conversation_closed', closing],
] as const)(
  'a %s while its contact is deleted: before it is, or it is not found',
  async (_, type, made) => {
    const { ctx } = await aWorkspace(database);
    const { id } = await aContact(ctx);
    const change = await made(ctx, id);
    await anActiveAutomation(ctx, { trigger: { type } });
    let changing: Promise<unknown> | undefined;

    await deleteContact(ctx, id, [
      async () => {
        if (changing) return;
        changing = change({ ...ctx, em: ctx.em.fork() }).catch((error: unknown) => error);
        await untilWaiting(database.system);
      },
    ]);

    // Each waits for what the other has, and PostgreSQL ends the one that is the first to find that out, which begins again.
    const outcome = await changing;
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'not_found' });
    expect(await rowsOf(ctx, LEFT, [id])).toEqual([{ count: 0 }]);
  },
);
