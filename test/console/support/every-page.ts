import { consolePages } from '../../../src/console/pages.ts';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import { updateNumber } from '../../../src/numbers/changing.ts';
import { createApp } from '../../../src/oauth/apps/service.ts';
import { createDeal } from '../../../src/pipelines/service.ts';
import { createReminder, newReminderOf } from '../../../src/reminders/service.ts';
import { sendTestEvent } from '../../../src/webhooks/deliveries/testing.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { anActiveAutomation, aRun } from '../../support/factories/automations.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact, someContacts } from '../../support/factories/contacts.ts';
import { aConversation, someMessages } from '../../support/factories/conversations.ts';
import { aForm } from '../../support/factories/forms.ts';
import { anImport } from '../../support/factories/imports.ts';
import { aFile } from '../../support/factories/media.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { aReminderRun } from '../../support/factories/reminders.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { aTemplate } from '../../support/factories/templates.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aMember } from '../../support/members.ts';

/** An endpoint at it never answers: what is sent to it stays to be done. */
export const NO_ANSWER = 'http://127.0.0.1:9';

/** Those that a browser shows; the others are files to keep. */
export const shownPages = consolePages.filter(({ path }) => !/\.\w+$|^\/media\//.test(path));

/** Records of a bakery: one at least for each page. By the page's path, where it is below the workspace. */
export type Addresses = Readonly<Record<string, string>>;

const same = (...paths: string[]): Addresses =>
  Object.fromEntries(paths.map((path) => [path, path]));

export async function aRecordForEveryPage(ctx: Context): Promise<Addresses> {
  const talk = await aTalk(ctx);
  const work = await someWork(ctx, talk);
  return {
    '': '',
    ...same('/inbox', '/contacts', '/contacts.csv', '/contacts/new', '/contacts/imports'),
    '/inbox/:id': `/inbox/${talk.conversationId}`,
    '/media/:id': `/media/${await aFile(ctx)}`,
    '/contacts/imports/:id': `/contacts/imports/${await anImport(ctx)}`,
    '/contacts/:id': `/contacts/${talk.contactId}`,
    '/contacts/:id/merge': `/contacts/${talk.contactId}/merge`,
    '/contacts/:id/template': `/contacts/${talk.contactId}/template?name=pedido_pronto&language=pt_BR`,
    '/inbox/:id/template': `/inbox/${talk.conversationId}/template`,
    ...work,
    ...(await somethingForDevelopers(ctx)),
    ...(await aStaff(ctx)),
    ...same(
      '/reports',
      '/reports/automations',
      '/numbers',
      '/settings',
      '/settings/opt-out-phrases',
      '/audit',
      '/audit.csv',
    ),
    '/numbers/:id': `/numbers/${talk.numberId}`,
  };
}

interface Talk {
  readonly numberId: string;
  readonly contactId: string;
  readonly conversationId: string;
}

const rows = (ctx: Context, text: string, values: readonly unknown[]): Promise<unknown> =>
  transact(ctx, ({ sql, organizationId }) => sql.rows(text, [organizationId, ...values]));

async function aTalk(ctx: Context): Promise<Talk> {
  const { id: numberId } = await aNumber(ctx, { name: 'Vendas', phone: '+5511987650001' });
  const day = { open: true, from: '08:00', to: '19:00' };
  await updateNumber(ctx, numberId, { hours: Array.from({ length: 7 }, () => day) });
  const { id: contactId } = await aContact(ctx, { name: 'Ana Souza', tags: ['vip'] });
  await aTemplate(ctx, numberId);
  const pair = { numberId, contactId };
  const conversationId = await aConversation(ctx, pair);
  const sent = { ...pair, conversationId, sentAt: ctx.now };
  await rows(
    ctx,
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
       source, created_at)
     values ($1, $2, $3, $4, $5, 'inbound', 'text', 'Tem bolo de cenoura?', 'received', 'contact', now())`,
    [newId('msg'), conversationId, numberId, contactId],
  );
  await someMessages(ctx, { ...sent, count: 2, status: 'delivered' });
  const [lost] = await someMessages(ctx, { ...sent, status: 'failed' });
  await rows(ctx, 'update messages set error = $3 where organization_id = $1 and id = $2', [
    lost,
    JSON.stringify({ reason: 'no_whatsapp', message: 'Not on WhatsApp.' }),
  ]);
  await rows(
    ctx,
    `update conversations set unread = 1, last_message_at = now(), window_expires_at = now() + interval '20 hours'
     where organization_id = $1 and id = $2`,
    [conversationId],
  );
  return { ...pair, conversationId };
}

async function someWork(ctx: Context, { numberId, contactId, conversationId }: Talk) {
  const { id: segment } = await aSegment(ctx, { name: 'Clientes' });
  const { id: form } = await aForm(ctx, { description: 'Um minuto.', personal_link: true });
  await aSubmission(ctx, form, contactId);
  const pipeline = await aPipeline(ctx);
  const { id: deal } = await createDeal(ctx, {
    contact_id: contactId,
    stage_id: pipeline.stages['Novo'] ?? '',
    title: 'Bolo azul',
    value_cents: 12_000,
  });
  const wishes = { number_id: numberId, contact_ids: [contactId], pace: 60 };
  const { id: campaign } = await aCampaign(ctx, wishes);
  const { id: sending } = await aCampaign(ctx, { ...wishes, name: 'Natal' });
  await beingSent(ctx, sending);
  const { id: automation } = await anActiveAutomation(ctx, {
    steps: [
      { id: 'hello', type: 'send_message', text: 'Oi!', next: 'end' },
      { id: 'end', type: 'end' },
      { id: 'lost', type: 'end' },
    ],
  });
  const run = await aRun(ctx, {
    automationId: automation,
    contactId,
    conversationId,
    status: 'failed',
  });
  const reminder = newReminderOf({
    title: 'Retorno',
    text: 'Oi!',
    number_id: numberId,
    target: 'contact',
    contact_id: contactId,
    repeat: 'weekly',
    weekday: 3,
    time: '09:00',
  });
  const { id: reminderId } = await createReminder(ctx, reminder);
  const out = { contact_id: contactId, status: 'skipped', reason: 'opted_out' };
  const reminded = await aReminderRun(ctx, reminderId, [out]);
  return {
    ...same('/segments', '/segments/new', '/pipelines', '/pipelines/new'),
    ...same('/reminders', '/reminders/new'),
    '/segments/:id': `/segments/${segment}`,
    '/segments/:id/edit': `/segments/${segment}/edit`,
    '/pipelines/:id': `/pipelines/${pipeline.id}`,
    '/pipelines/:id/stages': `/pipelines/${pipeline.id}/stages`,
    '/pipelines/:id/deals': `/pipelines/${pipeline.id}/deals`,
    '/pipelines/:id/deals/new': `/pipelines/${pipeline.id}/deals/new`,
    '/deals/:id': `/deals/${deal}`,
    '/forms': '/forms',
    '/forms/new': '/forms/new',
    '/forms/:id': `/forms/${form}`,
    '/forms/:id/edit': `/forms/${form}/edit`,
    '/forms/:id/link': `/forms/${form}/link`,
    '/campaigns': '/campaigns',
    '/campaigns/new': '/campaigns/new',
    '/campaigns/:id': `/campaigns/${sending}`,
    '/campaigns/:id/edit': `/campaigns/${campaign}/edit`,
    '/campaigns/:id/preview': `/campaigns/${campaign}/preview`,
    '/campaigns/:id/recipients': `/campaigns/${sending}/recipients`,
    '/campaigns/:id/recipients.csv': `/campaigns/${sending}/recipients.csv`,
    '/campaigns/:id/proof.jsonl': `/campaigns/${sending}/proof.jsonl`,
    '/reminders/:id': `/reminders/${reminderId}`,
    '/reminders/:id/edit': `/reminders/${reminderId}/edit`,
    '/reminders/:id/runs/:part': `/reminders/${reminderId}/runs/${reminded}`,
    '/automations': '/automations',
    '/automations/new': '/automations/new',
    '/automations/:id': `/automations/${automation}`,
    '/automations/:id/simulate': `/automations/${automation}/simulate`,
    '/automations/:id/start': `/automations/${automation}/start`,
    '/automations/:id/versions/:version': `/automations/${automation}/versions/1`,
    '/automations/:id/runs/:part': `/automations/${automation}/runs/${run}`,
  };
}

const aSubmission = (ctx: Context, formId: string, contactId: string): Promise<unknown> =>
  rows(
    ctx,
    `insert into form_submissions (organization_id, id, form_id, contact_id, answers, outcome, token_hash, form_version, created_at)
     values ($1, $2, $3, $4, $5, 'contact_updated', '\\x00', 1, now())`,
    [
      newId('sub'),
      formId,
      contactId,
      JSON.stringify({ nome: { label: 'Nome', type: 'text', value: 'Ana Souza' } }),
    ],
  );

/** Three quarters are over: one of them failed. */
async function beingSent(ctx: Context, campaignId: string): Promise<void> {
  const people = await someContacts(ctx, 4);
  const statuses = ['delivered', 'read', 'failed', 'pending'];
  for (const [i, { id, phone }] of people.entries())
    await rows(
      ctx,
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status,
         reason, settled_at)
       values ($1, $2, $3, $4, $4, $5, 'Oi', $6, case when $6 = 'failed' then 'no_whatsapp' end,
         case when $6 <> 'pending' then now() end)`,
      [campaignId, newId('rcp'), id, phone, statuses[i]],
    );
  await rows(
    ctx,
    `update campaigns set status = 'sending', started_at = now(), frozen_at = now(), total = 4
     where organization_id = $1 and id = $2`,
    [campaignId],
  );
}

async function somethingForDevelopers(ctx: Context) {
  await anApiKey(ctx);
  const { id: endpoint } = await anEndpoint(ctx, `${NO_ANSWER}/hooks`);
  const deliveries = [];
  for (let n = 0; n < 3; n += 1) deliveries.push(await sendTestEvent(ctx, endpoint, {}));
  const app = await createApp(ctx, {
    name: 'Planilhas',
    redirectUris: ['https://planilhas.example.com/back'],
    scopes: ['contacts:read'],
  });
  const { id: memberId } = await aMember(ctx, { role: 'admin' });
  const connection = newId('cnx');
  await rows(
    ctx,
    `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, now())`,
    [connection, app.id, memberId],
  );
  await rows(
    ctx,
    `insert into oauth_grants (organization_id, id, connection_id, resource, scopes, created_at)
     values ($1, $2, $3, null, '{contacts:read}', now())`,
    [connection.replace('cnx', 'grant'), connection],
  );
  return {
    '/api-keys': '/api-keys',
    '/api-keys/new': '/api-keys/new?preset=messages',
    '/webhooks': '/webhooks',
    '/webhooks/new': '/webhooks/new',
    '/webhooks/:id': `/webhooks/${endpoint}`,
    '/webhooks/:id/edit': `/webhooks/${endpoint}/edit`,
    '/webhooks/:id/deliveries/:part': `/webhooks/${endpoint}/deliveries/${deliveries[0]?.id}`,
    '/apps': '/apps',
    '/apps/new': '/apps/new',
    '/apps/:id': `/apps/${app.id}`,
    '/connections': '/connections',
  };
}

async function aStaff(ctx: Context) {
  const { id } = await aMember(ctx, { role: 'agent', teams: ['Vendas', 'Entrega'] });
  return { '/members': '/members', '/members/:id': `/members/${id}`, '/teams': '/teams' };
}
