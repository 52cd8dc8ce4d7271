import { automationRoutes } from '../../../src/automations/routes.ts';
import { contactDeletion, contactRoutes } from '../../../src/contacts/routes.ts';
import type { Context } from '../../../src/context.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { newId } from '../../../src/ids.ts';
import { mediaRoutes } from '../../../src/media/routes.ts';
import { cancelRemindersOf } from '../../../src/reminders/cancelling.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../../support/http.ts';

/** A workspace in which a person has left traces everywhere. */
export interface Life {
  readonly door: OpenDoor;
  readonly ctx: Context;
  readonly key: string;
  readonly numberId: string;
  call(method: string, path: string, body?: unknown, key?: string): Promise<Reply>;
  rows<R = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<R[]>;
  /** A contact with a conversation, a message, a deal, a reminder, a run, a submission and a campaign. */
  aPerson(name: string, phone: string): Promise<Traces>;
  close(): Promise<void>;
}

interface Traces {
  readonly id: string;
  readonly conversation: string;
  readonly message: string;
  readonly campaign: string;
  readonly reminder: string;
  readonly run: string;
}

export async function openLife(): Promise<Life> {
  const door = await openDoor({
    routes: [
      ...contactRoutes,
      contactDeletion(cancelRemindersOf),
      ...automationRoutes({ trustedOrigins: [] }),
      ...mediaRoutes({ uploadMbADay: 1_000 }),
    ],
  });
  const { ctx } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const { id: numberId } = await aNumber(ctx);
  const organization = ctx.organizationId;
  const rows: Life['rows'] = (text, params = []) =>
    inWorkspace(door.database, organization, (sql) => sql.rows(text, params));
  await rows(`insert into pipelines values ($1, 'pip_1', 'Vendas', now())`, [organization]);
  await rows(`insert into stages values ($1, 'stg_1', 'pip_1', 'Novo', 'open', 0, now())`, [
    organization,
  ]);
  await rows(
    `insert into forms (organization_id, id, title, fields, created_by, created_at, updated_at)
     values ($1, 'frm_1', 'Cadastro', '[]', '{}', now(), now())`,
    [organization],
  );
  await rows(
    `insert into automations (organization_id, id, name, draft, created_by, created_at, updated_at)
     values ($1, 'atm_1', 'Boas-vindas', '{}', '{}', now(), now())`,
    [organization],
  );
  await rows(`insert into automation_versions values ($1, 'atm_1', 1, '{}', now())`, [
    organization,
  ]);

  async function leaveTraces(id: string, phone: string): Promise<Omit<Traces, 'id'>> {
    const conversation = newId('cnv');
    const message = newId('msg');
    const reminder = newId('rem');
    const run = newId('run');
    const { id: campaign } = await aCampaign(ctx, { number_id: numberId, contact_ids: [id] });
    const write = (text: string, ...params: unknown[]): Promise<unknown> =>
      rows(text, [organization, id, ...params]);
    await write(
      `insert into conversations (organization_id, id, number_id, contact_id, unread, opened_at, created_at, last_message_at, window_expires_at)
       values ($1, $3, $4, $2, 1, now(), now(), now(), now() + interval '24 hours')`,
      conversation,
      numberId,
    );
    await write(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, created_at)
       values ($1, $5, $3, $4, $2, 'inbound', 'text', 'Meu endereço é Rua A, 1', 'received', 'contact', now())`,
      conversation,
      numberId,
      message,
    );
    await write(
      `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, conversation_id, title, stage_entered_at, created_at, updated_at)
       values ($1, $4, 'pip_1', 'stg_1', $2, $3, 'Bolo', now(), now(), now())`,
      conversation,
      newId('dea'),
    );
    await write(
      `insert into reminders (organization_id, id, title, text, target, contact_id, number_id, repeat, time, time_zone, next_run_at, created_by, created_at, updated_at)
       values ($1, $3, 'Consulta', 'Oi', 'contact', $2, $4, 'daily', '09:00', 'UTC', now(), '{}', now(), now())`,
      reminder,
      numberId,
    );
    await write(
      `insert into automation_runs (organization_id, id, automation_id, version, contact_id, conversation_id, trigger, status, started_at)
       values ($1, $4, 'atm_1', 1, $2, $3, '{"type":"manual","ref":null}', 'waiting', now())`,
      conversation,
      run,
    );
    await rows(
      `insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, output, started_at, finished_at)
       values ($1, $2, 1, 'where', 'ask', 'succeeded', '{"answer":"Rua A, 1"}', now(), now()), ($1, $2, 2, 'end', 'end', 'waiting', null, now(), null)`,
      [organization, run],
    );
    await write(
      `insert into form_submissions (organization_id, id, form_id, form_version, contact_id, answers, outcome, token_hash, created_at)
       values ($1, $3, 'frm_1', 1, $2, '{"nome":{"label":"Nome","type":"text","value":"Ana"}}', 'contact_created', sha256(convert_to($3, 'UTF8')), now())`,
      newId('sub'),
    );
    await write(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text)
       values ($1, $3, $4, $5, $2, $6, 'Oi Ana')`,
      campaign,
      newId('rcp'),
      phone.replace(/^\+55(\d\d)9/, '+55$1'),
      phone,
    );
    return { conversation, message, campaign, reminder, run };
  }

  return {
    door,
    close: door.close,
    ctx,
    key,
    numberId,
    rows,
    call: (method, path, body, by = key) =>
      door.api.call(method, `/api/v1/contacts${path}`, { key: by, body }),
    aPerson: async (name, phone) => {
      const { id } = await aContact(ctx, { name, phone });
      return { id, ...(await leaveTraces(id, phone)) };
    },
  };
}
