import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTools } from '../../src/agent-tools/tools.ts';
import { type CalledTool, callTool, openToolDoor } from '../support/agent-tools.ts';
import { everyRoute } from '../support/every-route.ts';
import type { OpenDoor } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
  // Only one that is over is sent again.
  await rowsOf(
    ours.ctx,
    `update webhook_deliveries set status = 'failed', in_backlog = false, finished_at = now() where id = $1`,
    [ours.ids.dlv],
  );
});
afterAll(() => door.close());

const logged = async (): Promise<string[]> => {
  const entries = await rowsOf<{ tool: string }>(
    ours.ctx,
    `select target ->> 'id' as tool from audit_entries where action = 'agent_tool.called' order by seq`,
  );
  return entries.map(({ tool }) => tool);
};

async function call(name: string, args: object): Promise<CalledTool> {
  const answer = await callTool(door, ours.token, name, args);
  expect([name, answer.failed, answer.failed && answer.text]).toEqual([name, false, false]);
  return answer;
}

const FORM = {
  title: 'Cadastro',
  description: null,
  thanks: null,
  tag: null,
  automation: null,
  fields: [{ type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone' }],
};
const BY_HAND = {
  name: 'À mão',
  trigger: { type: 'manual' },
  steps: [{ id: 'end', type: 'end' }],
};
const NEXT_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString();

it('has an entry of each tool that can change something, once it did', async () => {
  const { con, cnv, msg, num, team, cmp, rem, whk, dlv, stg, dea, atm } = ours.ids;
  const [won] = await rowsOf<{ id: string }>(ours.ctx, "select id from stages where kind = 'won'");
  const conversation = { conversation_id: cnv };
  const campaign = { campaign_id: cmp };
  const reminder = { reminder_id: rem };
  const daily = { title: 'Água', text: 'Beba', repeat: 'daily', time: '10:00' };
  const calls: [string, object][] = [
    ['create_contact', { name: 'Bia' }],
    ['update_contact', { contact_id: con, name: 'Ana Lima' }],
    ['mark_conversation_read', { ...conversation, through: msg }],
    ['send_message', { number_id: num, contact_id: con, text: 'Oi' }],
    ['send_to_conversation', { ...conversation, text: 'Oi' }],
    ['transfer_conversation', { ...conversation, team_id: team }],
    ['close_conversation', conversation],
    ['reopen_conversation', conversation],
    [
      'create_campaign',
      { name: 'Oi', number_id: num, target: 'contacts', contact_ids: [con], text: 'Oi', pace: 10 },
    ],
    ['update_campaign', { ...campaign, name: 'Outro' }],
    ['schedule_campaign', { ...campaign, when: NEXT_WEEK }],
    ['unschedule_campaign', campaign],
    ['send_campaign', campaign],
    ['pause_campaign', campaign],
    ['resume_campaign', campaign],
    ['cancel_campaign', campaign],
    ['create_reminder', { ...daily, target: 'contact', contact_id: con, number_id: num }],
    ['update_reminder', { ...reminder, title: 'Outro' }],
    ['cancel_reminder', reminder],
    ['create_deal', { stage_id: stg, contact_id: con, title: 'Torta' }],
    ['update_deal', { deal_id: dea, title: 'Bolo de casamento' }],
    ['move_deal', { deal_id: dea, stage_id: won?.id }],
    ['create_form', FORM],
    ['create_automation', BY_HAND],
    ['update_automation', { automation_id: atm, name: 'Outra' }],
    ['create_segment', { name: 'VIPs', rules: { field: 'tag', op: 'has_any', value: ['vip'] } }],
    ['resend_webhook_delivery', { webhook_id: whk, delivery_id: dlv }],
  ];

  await rowsOf(ours.ctx, 'update conversations set unread = 1');
  for (const [name, args] of calls) await call(name, args);

  const changing = [...createTools(everyRoute).values()].filter(({ effect }) => effect !== 'read');
  expect(await logged()).toEqual(calls.map(([name]) => name));
  expect(calls.map(([name]) => name).toSorted()).toEqual(
    changing.map(({ name }) => name).toSorted(),
  );
});

it('has none of a call that found everything as it should be', async () => {
  const { con, num, whk, dlv } = ours.ids;
  const message = { number_id: num, contact_id: con, text: 'Oi', client_ref: 'pedido-1' };
  const named = { contact_id: con, name: 'Ana Lima', idempotency_key: 'same-name' };
  const delivery = { webhook_id: whk, delivery_id: dlv };
  const first = await call('send_message', message);
  const before = await logged();

  const again = await call('send_message', message);
  await call('update_contact', named);
  await call('update_contact', named);
  await call('resend_webhook_delivery', delivery);

  expect(again.body.id).toBe(first.body.id);
  expect(await logged()).toEqual(before);
});
