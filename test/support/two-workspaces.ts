import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { addGroup } from '../../src/groups/service.ts';
import { newId } from '../../src/ids.ts';
import { addTeam } from '../../src/members/teams.ts';
import { anApiKey } from './factories/api-keys.ts';
import { anActiveAutomation, aRun } from './factories/automations.ts';
import { aForm } from './factories/forms.ts';
import { aNumber } from './factories/numbers.ts';
import { aPipeline } from './factories/pipelines.ts';
import { aReminderRun } from './factories/reminders.ts';
import { aSegment } from './factories/segments.ts';
import { aWorkspace } from './factories/workspaces.ts';
import type { TestApi } from './http.ts';
import { aMember, standConnected } from './members.ts';
import { copyRow, type FullWorkspace, rowMaker } from './rows.ts';

const PHONE = '+5511987654321';

export async function aFullWorkspace(database: Database, api: TestApi): Promise<FullWorkspace> {
  const { ctx, ownerId } = await aWorkspace(database);
  const { key } = await anApiKey(ctx, SCOPE_NAMES);
  const team = await addTeam(ctx, 'Vendas');
  const owner = await aMember(ctx, { role: 'owner' });
  await standConnected(ctx, owner.id, owner);
  const number = await aNumber(ctx, { name: 'Vendas', phone: '+5511940000001' });
  const create = async (path: string, body: unknown): Promise<string> => {
    const answer = await api.call('POST', `/api/v1${path}`, { key, body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body.id as string;
  };
  const con = await create('/contacts', { name: 'Ana', phone: PHONE, tags: ['vip'] });
  const whk = await create('/webhooks', {
    name: 'Pedidos',
    url: 'https://hooks.example.com/x',
    events: ['message.sent'],
  });
  const dlv = await create(`/webhooks/${whk}/test`, {});
  const cmp = await create('/campaigns', {
    name: 'Aviso',
    number_id: number.id,
    target: 'contacts',
    contact_ids: [con],
    text: 'Olá {{name|cliente}}',
    pace: 60,
  });
  const { id: pip, stages } = await aPipeline(ctx);
  const stg = stages['Novo'] ?? '';
  const dea = await create('/deals', { stage_id: stg, contact_id: con, title: 'Bolo' });
  const { id: frm } = await aForm(ctx, { personal_link: true });
  const { id: seg } = await aSegment(ctx);
  const { id: atm } = await anActiveAutomation(ctx);
  const run = await aRun(ctx, { automationId: atm, contactId: con });
  const rem = await create('/reminders', {
    title: 'Retorno',
    text: 'Oi, Ana!',
    target: 'contact',
    contact_id: con,
    number_id: number.id,
    repeat: 'daily',
    time: '09:00',
  });
  const rrn = await aReminderRun(ctx, rem, [{ contact_id: con, status: 'sent' }]);
  const ofNumber = { numberId: number.id, providerId: 'group-1', name: 'Bairro' };
  const grp = (await addGroup(ctx, ofNumber)).id;
  const form = new FormData();
  form.append('file', new Blob(['a file']), 'file.txt');
  const med = await create('/media', form);
  const list = new FormData();
  list.append('file', new Blob(['name\nBia\n']), 'clientes.csv');
  const imp = await create('/contacts/imports', list);
  const cnv = newId('cnv');
  const msg = newId('msg');
  await inWorkspace(database, ctx.organizationId, async (sql) => {
    await sql.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, last_message_at)
       values ($1, $2, $3, $4, now(), now(), now())`,
      [ctx.organizationId, cnv, number.id, con],
    );
    await sql.rows(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, created_at)
       values ($1, $2, $3, $4, $5, 'inbound', 'text', 'Oi', 'received', 'contact', now())`,
      [ctx.organizationId, msg, cnv, number.id, con],
    );
  });
  return {
    ctx,
    key,
    token: owner.token,
    ids: {
      con,
      imp,
      grp,
      med,
      whk,
      dlv,
      cmp,
      frm,
      atm,
      run,
      seg,
      cnv,
      msg,
      num: number.id,
      pip,
      stg,
      rem,
      rrn,
      dea,
      mem: ownerId,
      team: team.id,
    },
  };
}

/** The workspace as seen from a campaign that is over, with one recipient it did not reach. */
export async function onceSent(database: Database, full: FullWorkspace): Promise<FullWorkspace> {
  const cmp = newId('cmp');
  const rcp = newId('rcp');
  await inWorkspace(database, full.ctx.organizationId, async (sql) => {
    await copyRow(sql, rowMaker({ path: '/v1/campaigns' }), full.ids.cmp ?? '', cmp, {
      status: 'done',
    });
    await sql.rows(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status)
       values (wms.organization(), $1, $2, $2, $3, $4, 'Oi', 'failed')`,
      [cmp, rcp, full.ids.con, PHONE],
    );
  });
  return { ...full, ids: { ...full.ids, cmp, rcp } };
}
