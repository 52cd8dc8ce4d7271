import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Scope } from '../../src/access/scopes.ts';
import { Turns } from '../../src/db/connections/turns.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { createLog } from '../../src/log.ts';
import { callTool, openToolDoor, serveTools, toolClient } from '../support/agent-tools.ts';
import type { OpenDoor } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

interface Entry {
  readonly actor: Record<string, unknown>;
  readonly target: Record<string, unknown>;
  readonly changes: unknown;
}

const entries = (): Promise<Entry[]> =>
  rowsOf<Entry>(
    ours.ctx,
    "select actor, target, changes from audit_entries where action = 'agent_tool.called' order by seq",
  );

const names = async (token: string): Promise<string[]> => {
  const client = await toolClient(door, token);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

it('a client that nobody here wrote connects, lists the tools and calls them', async () => {
  const client = await toolClient(door, ours.token);

  const { tools } = await client.listTools();
  const made = await client.callTool({
    name: 'create_contact',
    arguments: { name: 'Bia', phone: '+55 11 98765-0001' },
  });
  const { id } = made.structuredContent as { id: string };
  const read = await client.callTool({ name: 'get_contact', arguments: { contact_id: id } });
  const found = await client.callTool({ name: 'list_contacts', arguments: { q: 'Bia', limit: 5 } });

  expect(tools.length).toBeGreaterThan(30);
  expect(made.isError).toBeFalsy();
  expect(read.structuredContent).toMatchObject({ id, name: 'Bia', phone: '+5511987650001' });
  expect(found.structuredContent).toMatchObject({ data: [{ id }], next_cursor: null });
  await client.close();
});

it('serves the newest protocol and the one before it alike', async () => {
  const shown: [string | undefined, number][] = [];
  for (const mode of ['legacy', 'auto'] as const) {
    const client = await toolClient(door, ours.token, mode);
    const { tools } = await client.listTools();
    const read = { name: 'get_contact', arguments: { contact_id: ours.ids.con } };
    const { structuredContent } = await client.callTool(read);
    expect(structuredContent).toMatchObject({ id: ours.ids.con });
    shown.push([client.getNegotiatedProtocolVersion(), tools.length]);
    await client.close();
  }

  const [before, now] = shown;
  expect([before?.[0], now?.[0]]).toEqual(['2025-11-25', '2026-07-28']);
  expect(before?.[1]).toBe(now?.[1]);
});

it('lists only what the token and the person may use', async () => {
  const reading: Scope[] = ['contacts:read', 'campaigns:send'];
  const agent = await aMember(ours.ctx, { scopes: reading });
  const sender = await aMember(ours.ctx, { scopes: reading, options: ['campaigns.send'] });

  const few = await names(agent.token);
  const more = await names(sender.token);
  const all = await names(ours.token);

  expect(few).toEqual(['list_contacts', 'get_contact']);
  expect(more).toEqual([
    'list_contacts',
    'get_contact',
    'send_campaign',
    'schedule_campaign',
    'resume_campaign',
  ]);
  expect(all).toEqual(expect.arrayContaining([...more, 'create_reminder', 'list_webhooks']));
});

it('marks what cannot be taken back as destructive, and what only reads as read-only', async () => {
  const client = await toolClient(door, ours.token);
  const { tools } = await client.listTools();
  await client.close();
  const hinted = (hint: 'destructiveHint' | 'readOnlyHint'): string[] =>
    tools.flatMap(({ name, annotations }) => (annotations?.[hint] ? [name] : []));

  expect(hinted('destructiveHint').sort()).toEqual([
    'cancel_campaign',
    'cancel_reminder',
    'create_reminder',
    'resend_webhook_delivery',
    'resume_campaign',
    'schedule_campaign',
    'send_campaign',
    'send_message',
    'send_to_conversation',
    'update_reminder',
  ]);
  expect(hinted('readOnlyHint')).toContain('preview_campaign');
  expect(
    hinted('readOnlyHint').filter((name) => !/^(get|list|preview|simulate)_/.test(name)),
  ).toEqual([]);
});

it('answers what is wrong as an error of the tool, with code, message and the fields', async () => {
  const noPace = {
    name: 'Aviso',
    number_id: ours.ids.num,
    target: 'contacts',
    text: 'Oi',
    pace: 1,
  };
  const wrong = await callTool(door, ours.token, 'create_campaign', noPace);
  const unknownField = await callTool(door, ours.token, 'list_contacts', { nam: 'Ana' });
  const noId = await callTool(door, ours.token, 'get_contact', {});
  const oddId = await callTool(door, ours.token, 'get_contact', { contact_id: 5 });
  const deep = await callTool(door, ours.token, 'list_contacts', { tag: { a: 1 } });

  for (const answer of [wrong, unknownField, noId, oddId, deep])
    expect([answer.status, answer.failed, answer.body.error.code]).toEqual([
      200,
      true,
      'validation',
    ]);
  expect(wrong.body.error).toMatchObject({
    message: expect.any(String),
    details: [{ path: 'pace', rule: 'enum', allowed: [10, 60, 600, 4800] }],
    doc_url: 'http://api.test/docs/errors/validation',
  });
  expect(unknownField.body.error.details).toMatchObject([{ path: 'nam' }]);
  expect(noId.body.error.details).toMatchObject([{ path: 'contact_id', rule: 'required' }]);
  expect(deep.body.error.details).toMatchObject([{ path: 'tag', rule: 'type' }]);
});

it('writes an entry with the app and the person for each call that changed something, and for no other', async () => {
  const before = (await entries()).length;
  const { id: memberId, token } = await aMember(ours.ctx, { role: 'admin' });

  const made = await callTool(door, token, 'create_contact', { name: 'Caio' });
  await callTool(door, token, 'update_contact', { contact_id: made.body.id, name: 'Caio Lima' });
  await callTool(door, token, 'get_contact', { contact_id: made.body.id });
  await callTool(door, token, 'preview_campaign', { campaign_id: ours.ids.cmp });
  const refused = await callTool(door, token, 'update_contact', {
    contact_id: made.body.id,
    name: '',
  });

  const written = (await entries()).slice(before);
  expect(refused.failed).toBe(true);
  expect(written.map(({ target }) => target)).toEqual([
    { type: 'agent_tool', id: 'create_contact', name: 'Create a contact' },
    { type: 'agent_tool', id: 'update_contact', name: 'Change a contact' },
  ]);
  for (const { actor, changes } of written) {
    expect(actor).toMatchObject({ type: 'app', name: 'Planilhas', member_id: memberId });
    expect(changes).toEqual([{ field: 'record', from: null, to: made.body.id }]);
  }
});

it('does once what is asked twice with the same idempotency_key, and writes one entry', async () => {
  const before = (await entries()).length;
  const args = { name: 'Duas vezes', idempotency_key: 'agent-1' };

  const first = await callTool(door, ours.token, 'create_contact', args);
  const again = await callTool(door, ours.token, 'create_contact', args);
  const other = await callTool(door, ours.token, 'create_contact', { ...args, name: 'Outra' });

  expect(again.body).toEqual(first.body);
  expect(other.body.error.code).toBe('idempotency_mismatch');
  expect((await entries()).length).toBe(before + 1);
});

it('takes a filter or an idempotency_key that is null as left out, as models write it', async () => {
  const listed = await callTool(door, ours.token, 'list_contacts', { q: 'Ana', tag: null });
  const args = { name: 'Zoé', idempotency_key: null };
  const made = await callTool(door, ours.token, 'create_contact', args);

  expect([listed.failed, made.failed]).toEqual([false, false]);
});

it('goes through a list by its cursor', async () => {
  for (const name of ['Pá 1', 'Pá 2', 'Pá 3'])
    await callTool(door, ours.token, 'create_contact', { name });
  const filter = { q: 'Pá', limit: 2 };

  const first = await callTool(door, ours.token, 'list_contacts', filter);
  const cursor = first.body.next_cursor;
  const rest = await callTool(door, ours.token, 'list_contacts', { ...filter, cursor });
  const elsewhere = await callTool(door, ours.token, 'list_contacts', { q: 'X', cursor });

  expect(first.body.data).toHaveLength(2);
  expect(rest.body).toMatchObject({ data: [{ name: 'Pá 1' }], next_cursor: null });
  expect(elsewhere.body.error.code).toBe('invalid_cursor');
});

it('shows a member what they see and nothing else', async () => {
  const { token } = await aMember(ours.ctx, { role: 'owner', visibility: 'assigned' });

  const listed = await callTool(door, token, 'list_conversations', {});
  const read = await callTool(door, token, 'get_conversation', { conversation_id: ours.ids.cnv });
  const all = await callTool(door, ours.token, 'list_conversations', {});

  expect(listed.body.data).toEqual([]);
  expect(read.body.error.code).toBe('not_found');
  expect(all.text).toContain(ours.ids.cnv);
});

it('counts a call that got no connection with the door’s refusals, and tells nobody of a fault', async () => {
  const reads = new Turns({ places: 2, share: 1, waitMs: 600_000, longestMs: 20 });
  const database = { ...door.database, turns: { ...door.database.turns, reads } };
  const metrics = httpMetrics();
  const log = createLog({ level: 'silent', format: 'json' });
  let faults = 0;
  log.error = () => {
    faults += 1;
  };
  const api = await serveTools(database, { log, metrics });
  const busy = Promise.withResolvers<void>();
  const held = reads.inTurn(ours.ctx.organizationId, () => busy.promise);

  const refused = await callTool({ api }, ours.token, 'get_contact', { contact_id: ours.ids.con });
  busy.resolve();
  await held;
  await api.close();

  expect([refused.failed, refused.body.error.code]).toEqual([true, 'unavailable']);
  expect(await metrics.registry.metrics()).toMatch(
    /^wms_http_turned_away_total\{reason="late"\} 1$/m,
  );
  expect(faults).toBe(0);
});
