import type { Context } from '../../context.ts';
import { HOUR_MS } from '../../durations.ts';
import { newIdAt } from '../../ids.ts';

export interface PastCampaign {
  readonly name: string;
  readonly text: string;
  readonly daysAgo: number;
}

export const PAST_CAMPAIGNS: readonly PastCampaign[] = [
  {
    name: 'Semana do pão de queijo',
    text: 'Oi {{first_name}}! Nesta semana, a cada dúzia de pão de queijo, um café por nossa conta.',
    daysAgo: 27,
  },
  {
    name: 'Novo horário de domingo',
    text: 'Oi {{first_name}}! Agora abrimos também no domingo, das 7h às 13h.',
    daysAgo: 13,
  },
  {
    name: 'Panetones artesanais',
    text: 'Oi {{first_name}}! As encomendas de panetone começaram. Responda EU QUERO e guardamos o seu.',
    daysAgo: 4,
  },
];

export interface Recipient {
  readonly contactId: string;
  readonly name: string;
  readonly phone: string;
  readonly conversationId: string | null;
}

/** The outcome for the n-th recipient: most read it, some only received it, one has no WhatsApp. */
const outcomeOf = (n: number): 'read' | 'delivered' | 'failed' =>
  n % 17 === 11 ? 'failed' : n % 3 === 0 ? 'delivered' : 'read';

/** Writes a campaign that ended long ago: its recipients, and the message of each. */
export async function recall(
  tx: Context,
  { name, text, daysAgo }: PastCampaign,
  numberId: string,
  people: readonly Recipient[],
): Promise<void> {
  const at = new Date(tx.now.getTime() - daysAgo * 24 * HOUR_MS);
  const campaignId = newIdAt('cmp', at);
  const signature = JSON.stringify({ type: 'system', id: null, name: 'demo' });
  await tx.sql.rows(
    `insert into campaigns (organization_id, id, name, status, number_id, target, contact_ids, text, pace, created_by, total,
       frozen_at, started_at, finished_at, created_at)
     values ($1, $2, $3, 'done', $4, 'contacts', $5, $6, 60, $7, $8, $9, $9, $10, $11)`,
    [
      tx.organizationId,
      campaignId,
      name,
      numberId,
      people.map(({ contactId }) => contactId),
      text,
      signature,
      people.length,
      at,
      new Date(at.getTime() + people.length * 1_000),
      new Date(at.getTime() - HOUR_MS),
    ],
  );
  for (const [n, person] of people.entries()) {
    const sentAt = new Date(at.getTime() + n * 1_000);
    await reach(tx, { campaignId, numberId, text, at: sentAt, status: outcomeOf(n) }, person);
  }
}

interface Reaching {
  readonly campaignId: string;
  readonly numberId: string;
  readonly text: string;
  readonly at: Date;
  readonly status: 'read' | 'delivered' | 'failed';
}

async function reach(
  tx: Context,
  { campaignId, numberId, text, at, status }: Reaching,
  { contactId, name, phone, conversationId }: Recipient,
): Promise<void> {
  const said = text.replace('{{first_name}}', name.split(' ')[0] ?? name);
  const messageId = newIdAt('msg', at);
  const lost = status === 'failed';
  await tx.sql.rows(
    `with place as (
       insert into conversations (organization_id, id, number_id, contact_id, status, opened_at, closed_at, last_message_at, created_at, updated_at)
       select $1, $2, $3, $4, 'closed', $5, $5::timestamptz + interval '1 day', $5, $5, $5 where $6::text is null
       on conflict (organization_id, number_id, contact_id) do update set number_id = excluded.number_id
       returning id)
     insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source,
       campaign_id, sent_at, delivered_at, read_at, error, created_at)
     select $1, $7, coalesce($6, (select id from place)), $3, $4, 'outbound', 'text', $8, $9, 'campaign', $10,
       case when $11::jsonb is null then $5::timestamptz end, case when $11::jsonb is null then $5::timestamptz end,
       case when $9 = 'read' then $5::timestamptz end, $11, $5`,
    [
      tx.organizationId,
      newIdAt('cnv', at),
      numberId,
      contactId,
      at,
      conversationId,
      messageId,
      said,
      status,
      campaignId,
      lost
        ? JSON.stringify({
            reason: 'no_whatsapp',
            code: 'undeliverable',
            provider_code: 131026,
            message: 'Message undeliverable.',
          })
        : null,
    ],
  );
  await tx.sql.rows(
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status, reason,
       message_id, attempts, claimed_at, settled_at)
     values ($1, $2, $3, $4, $5, $4, $6, $7, $8, $9, 1, $10, $10)`,
    [
      tx.organizationId,
      campaignId,
      newIdAt('rcp', at),
      phone,
      contactId,
      said,
      status,
      lost ? 'no_whatsapp' : null,
      messageId,
      at,
    ],
  );
}
