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

it.each([
  ['deal is moved', 'stage_changed', moving],
  ['conversation is closed', 'conversation_closed', closing],
] as const)('a %s while its contact is deleted: it is not found', async (_, type, made) => {
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

  expect(await changing).toMatchObject({ code: 'not_found' });
});
