import { type Actor, system } from '../../../src/access/actor.ts';
import type { Context } from '../../../src/context.ts';
import type { Outcome } from '../../../src/conversations/lane/outcomes.ts';
import { settle } from '../../../src/conversations/lane/settling.ts';
import { queueMessage } from '../../../src/conversations/sending/outgoing.ts';
import { sendToConversation } from '../../../src/conversations/sending/sending.ts';
import { transact } from '../../../src/db/transact.ts';
import { anEcho } from '../../inbound/support/echo.ts';
import { openWritingScene, type WritingScene } from '../../inbound/support/writing.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';

/** The conversation of somebody who wrote. */
export interface Talk {
  readonly id: string;
  readonly phone: string;
}

export const CRM: Actor = {
  type: 'service_account',
  id: 'sva_1',
  name: 'CRM',
  credentialId: 'key_1',
  scopes: new Set(['messages:write']),
};

const TOKEN = '0195c1f0-0000-7000-8000-000000000001';

/** Who answers the people of a scene, and what becomes of the answers. */
function answering({ ctx, phoneNumberId, stage, rows, aPhone, writes }: WritingScene) {
  const fresh = (actor: Actor): Context => ({
    ...ctx,
    em: ctx.em.fork(),
    now: new Date(),
    actor,
  });

  /** Somebody asked something, and the number gave their conversation to its team if it has one. */
  async function asked(): Promise<Talk & { readonly contactId: string }> {
    const phone = aPhone();
    await writes(phone, 'Tem bolo para sábado?');
    const [talk] = await rows<{ id: string; contactId: string }>(
      `select v.id, c.id as "contactId" from conversations v join contacts c on c.id = v.contact_id where c.phone = $1`,
      [`+${phone}`],
    );
    if (!talk) throw new Error('Nobody wrote.');
    return { ...talk, phone };
  }

  const automated = (
    { id }: Pick<Talk, 'id'>,
    handledBy: 'automation' | 'ai' = 'automation',
    of: { readonly automationId?: string; readonly runId?: string } = {},
  ): Promise<string> =>
    transact(fresh(system('automations')), (tx) =>
      queueMessage(tx, {
        conversationId: id,
        text: 'Já vamos te responder.',
        ...of,
        source: 'automation',
        byAi: handledBy === 'ai',
        handledBy,
      }),
    );

  async function said({ id }: Pick<Talk, 'id'>, actor: Actor): Promise<string> {
    const message = await sendToConversation(fresh(actor), id, { text: 'Temos!' });
    return (message as { id: string }).id;
  }

  /** An answer on the handset. */
  async function typed({ phone }: Talk): Promise<void> {
    await stage.post(anEcho(phoneNumberId, { id: `wamid.typed.${phone}`, to: phone }));
    await stage.process();
  }

  /** The lane writes down what became of a message. */
  async function settled(messageId: string, outcome: Outcome): Promise<void> {
    await rows('update outgoing_messages set claim_token = $1 where message_id = $2', [
      ...[TOKEN, messageId],
    ]);
    const { organizationId, now } = fresh(system('lane'));
    const request = { organizationId, token: TOKEN, now };
    await transact(fresh(system('lane')), (tx) =>
      settle(tx.sql, request, [{ messageId, outcome }]),
    );
  }

  return { fresh, asked, automated, said, typed, settled };
}

/** People write to a number of a workspace in which somebody is of a team. */
export const writingScene = () =>
  opened(async () => {
    const place = await openWritingScene();
    const { id, teamIds } = await aMember(place.ctx, { teams: ['Suporte'] });
    const member = { id, teamId: teamIds[0] ?? '' };
    return { ...place, ...answering(place), member, close: () => place.stage.close() };
  });
