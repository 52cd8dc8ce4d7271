import type { Context } from '../../context.ts';
import { DAY_MS } from '../../durations.ts';
import { newIdAt } from '../../ids.ts';
import { CUSTOMERS } from './people.ts';

const FLAVOURS = ['Nozes', 'Brigadeiro', 'Frutas vermelhas'];

const daysAgo = ({ now }: Context, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Submissions of the form, stored as its page would have stored them. */
export async function submitted(
  tx: Context,
  formId: string,
  contactIds: readonly string[],
): Promise<void> {
  for (let n = 0; n < 9; n++) {
    const at = daysAgo(tx, 3 * n + 0.4);
    const { name, phone } = CUSTOMERS[n * 3] ?? {};
    const answers = {
      nome_completo: { label: 'Nome completo', type: 'text', value: name },
      whatsapp: { label: 'WhatsApp', type: 'phone', value: phone },
      para_que_dia: { label: 'Para que dia?', type: 'date', value: null },
      sabor: { label: 'Sabor', type: 'select', value: FLAVOURS[n % FLAVOURS.length] },
      quero_receber_novidades_da_padaria: {
        label: 'Quero receber novidades da padaria',
        type: 'consent',
        value: n % 2 === 0,
      },
    };
    await tx.sql.rows(
      `insert into form_submissions (organization_id, id, form_id, form_version, contact_id, answers, outcome, token_hash, created_at)
       values ($1, $2, $3, 1, $4, $5, $6, sha256($2::text::bytea), $7)`,
      [
        tx.organizationId,
        newIdAt('sub', at),
        formId,
        contactIds[n * 3],
        JSON.stringify(answers),
        n % 3 === 0 ? 'contact_created' : 'contact_updated',
        at,
      ],
    );
  }
}

/** Past runs of the automation, each in the conversation of its person: all but two ended well. */
export async function ran(
  tx: Context,
  automationId: string,
  contactIds: readonly string[],
): Promise<void> {
  for (let n = 0; n < 24; n++) {
    const at = daysAgo(tx, 1.2 * n + 0.2);
    const failed = n % 11 === 7;
    await tx.sql.rows(
      `insert into automation_runs (organization_id, id, automation_id, version, contact_id, conversation_id, trigger, status, error, started_at, finished_at)
       values ($1, $2, $3, 1, $4, (select id from conversations where organization_id = $1 and contact_id = $4 order by id limit 1),
         '{"type": "first_message", "ref": null}', $5, $6, $7, $7::timestamptz + interval '2 seconds')`,
      [
        tx.organizationId,
        newIdAt('run', at),
        automationId,
        contactIds[n],
        failed ? 'failed' : n % 5 === 3 ? 'handed_over' : 'succeeded',
        failed
          ? JSON.stringify({
              step_id: 's1',
              code: 'send_failed',
              message: 'WhatsApp refused the message.',
            })
          : null,
        at,
      ],
    );
  }
}

/** The group in which the bakery talks with its suppliers. */
export async function gathered(tx: Context, numberId: string): Promise<void> {
  const at = daysAgo(tx, 40);
  const conversationId = newIdAt('cnv', at);
  const groupId = newIdAt('grp', at);
  await tx.sql.rows(
    `insert into conversations (organization_id, id, number_id, group_id, opened_at, last_message_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $5, $6)`,
    [tx.organizationId, conversationId, numberId, groupId, at, daysAgo(tx, 1)],
  );
  await tx.sql.rows(
    `insert into groups (organization_id, id, name, description, members, number_id, conversation_id, provider_id, created_at)
     values ($1, $2, 'Fornecedores', 'Farinha, leite e frutas', 5, $3, $4, $5, $6)`,
    [tx.organizationId, groupId, numberId, conversationId, `demo-${groupId}`, at],
  );
  await tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, direction, type, text, status, source, created_at)
     values ($1, $2, $3, $4, 'inbound', 'text', 'A farinha chega amanhã às 6h.', 'received', 'contact', $5)`,
    [tx.organizationId, newIdAt('msg', daysAgo(tx, 1)), conversationId, numberId, daysAgo(tx, 1)],
  );
}

/** Sets when contacts were last heard from and written to, as if each message had really been sent. */
export const remembered = (tx: Context): Promise<unknown> =>
  tx.sql.rows(
    `update contacts c set last_inbound_at = m.heard, last_outbound_at = m.told,
       whatsapp_status = case when m.heard is null then c.whatsapp_status else 'valid' end
     from (select contact_id, max(created_at) filter (where direction = 'inbound') as heard, max(sent_at) as told
       from messages where organization_id = $1 group by contact_id) m
     where c.organization_id = $1 and c.id = m.contact_id`,
    [tx.organizationId],
  );
