import { beforeEach, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { exampleDraft } from '../../src/automations/examples.ts';
import { automationRoutes } from '../../src/automations/routes.ts';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { page } from './support/examples.ts';

const TRUSTED = 'http://127.0.0.1:3999';

let ctx: Context;
let token: string;
let key: string;

const door = opened(() => openDoor({ routes: automationRoutes({ trustedOrigins: [TRUSTED] }) }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ token } = await aMember(ctx, { role: 'admin' }));
  ({ key } = await anApiKey(ctx, SCOPE_NAMES));
});

const call = (method: string, path: string, body?: unknown, as = token): Promise<Reply> =>
  door.api.call(method, `/api/v1/automations${path}`, { key: as, body });

const entries = (): Promise<{ action: string; changes: { field: string }[] }[]> =>
  rowsOf(
    ctx,
    "select action, changes from audit_entries where action like 'automation.%' order by seq",
  );

const calling = (url: string) => ({
  name: 'Pedidos',
  trigger: { type: 'manual' },
  steps: [
    { id: 'call', type: 'http_request', url, next: 'end' },
    { id: 'end', type: 'end' },
  ],
});

it('the guide to drafts is the page of the documentation', async () => {
  const { key: reader } = await anApiKey(ctx, ['automations:read']);

  const { status, body } = await door.api.call('GET', '/api/v1/automation-guide', { key: reader });

  expect([status, body]).toEqual([200, { text: page }]);
});

describe('creating an automation', () => {
  it('answers a draft of version 0 with what may be wrong with it', async () => {
    const reply = await call('POST', '', { ...exampleDraft, description: 'Para quem pergunta' });

    const { id, created_at: at } = reply.body;
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^atm_/),
      name: exampleDraft.name,
      status: 'draft',
      created_at: at,
      updated_at: at,
      version: 0,
      description: 'Para quem pergunta',
      unpublished_edits: true,
      issues: [
        {
          step_id: 's5',
          code: 'unknown_reference',
          message: 'There is no such team.',
          severity: 'error',
          path: 'steps[4].team_id',
        },
      ],
      trigger: exampleDraft.trigger,
      entry: exampleDraft.entry,
      steps: exampleDraft.steps,
      runs_dropped: {},
    });
    expect((await call('GET', `/${id}`)).body).toEqual(reply.body);
  });

  it('is for people and their apps: a key is told so', async () => {
    const reply = await call('POST', '', exampleDraft, key);

    expect([reply.status, reply.body.error.code]).toEqual([403, 'oauth_required']);
    expect((await call('GET', '', undefined, key)).body.data).toEqual([]);
  });

  it('is not for an agent, who may only read them', async () => {
    const { token: theirs } = await aMember(ctx, { role: 'agent' });

    const reply = await call('POST', '', exampleDraft, theirs);

    expect(reply.body.error).toMatchObject({
      code: 'forbidden',
      details: { permission: 'automations.activate' },
    });
    expect((await call('GET', '', undefined, theirs)).status).toBe(200);
  });

  it('refuses a name that is taken, whatever its case', async () => {
    const { id } = await anAutomation(ctx, { name: 'Boas-Vindas' });

    const reply = await call('POST', '', { ...exampleDraft, name: 'BOAS-VINDAS' });

    expect(reply.status).toBe(409);
    expect(reply.body.error).toMatchObject({ code: 'duplicate', details: { automation_id: id } });
  });

  it('gives a name once to two who ask at the same time', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => call('POST', '', exampleDraft)));

    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it.each([
    ['https://127.0.0.1/x', 'no_ip'],
    ['http://erp.loja.com.br', 'https_only'],
    ['https://user:secret@erp.loja.com.br', 'no_credentials'],
    ['https://printer.local', 'reserved_domain'],
    ['https://{{custom.host}}.loja.com.br/x', 'malformed'],
    ['https://erp.loja.com.br/x?p={{fone}}', 'unknown_variable'],
  ])('refuses to call %s', async (url, rule) => {
    const reply = await call('POST', '', calling(url));

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toMatchObject([{ path: 'steps[0].url', rule }]);
  });

  it('may call public addresses, and what the operator trusts', async () => {
    expect((await call('POST', '', calling('https://erp.loja.com.br/x'))).status).toBe(201);
    const local = { ...calling(`${TRUSTED}/x`), name: 'Local' };
    expect((await call('POST', '', local)).status).toBe(201);
  });

  it('names the types there are to whoever invents one', async () => {
    const reply = await call('POST', '', { ...exampleDraft, trigger: { type: 'weather' } });

    expect(reply.body.error.details).toMatchObject([{ path: 'trigger.type', rule: 'enum' }]);
    expect(reply.body.error.details[0].allowed).toContain('message_received');
  });
});

describe('changing a draft', () => {
  it('is open to API keys, as its activation is', async () => {
    const { id } = await anAutomation(ctx);

    const reply = await call('PATCH', `/${id}`, { name: 'Outra' }, key);

    expect([reply.status, reply.body.name]).toEqual([200, 'Outra']);
  });

  it('changes only what it names, and says so in the log without a word of the texts', async () => {
    const { id } = await anAutomation(ctx, { name: 'Antes', description: 'd' });
    const steps = [
      { id: 'x', type: 'send_message', text: 'Segredo', next: 'end' },
      { id: 'end', type: 'end' },
    ];

    const reply = await call('PATCH', `/${id}`, { name: 'Depois', steps });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ name: 'Depois', description: 'd', steps, version: 0 });
    expect(reply.body.trigger.type).toBe('message_received');
    const log = await entries();
    expect(log.map(({ action }) => action)).toEqual(['automation.created', 'automation.updated']);
    expect(log[1]?.changes.map(({ field }) => field)).toEqual(['name', 'steps']);
    expect(JSON.stringify(log)).not.toContain('Segredo');
  });

  it('leaves everything as it is when nothing differs, the log too', async () => {
    const { id, trigger, entry, steps, updated_at: at } = await anAutomation(ctx);

    const reply = await call('PATCH', `/${id}`, { trigger, entry, steps });

    expect([reply.status, reply.body.updated_at]).toEqual([200, at]);
    expect(await entries()).toHaveLength(1);
  });

  it('keeps its own name, and refuses that of another', async () => {
    const { id } = await anAutomation(ctx, { name: 'Um' });
    await anAutomation(ctx, { name: 'Dois' });

    expect((await call('PATCH', `/${id}`, { name: 'UM' })).body.name).toBe('UM');
    expect((await call('PATCH', `/${id}`, { name: 'dois' })).status).toBe(409);
  });

  it('refuses what is no automation, and keeps the draft', async () => {
    const { id, steps } = await anAutomation(ctx);

    const reply = await call('PATCH', `/${id}`, { steps: [{ id: 'x', type: 'wait' }] });

    expect(reply.status).toBe(422);
    expect((await call('GET', `/${id}`)).body.steps).toEqual(steps);
  });

  it('answers 404 for one that is not there', async () => {
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }]] as const)
      expect((await call(method, `/${newId('atm')}`, body)).status).toBe(404);
  });
});

describe('listing automations', () => {
  it('is newest first, page by page, by status', async () => {
    const first = await anAutomation(ctx, { name: 'Um' });
    const second = await anAutomation(ctx, { name: 'Dois' });
    await call('POST', `/${first.id}/activate`);

    const page = await call('GET', '?limit=1');
    const rest = await call('GET', `?limit=1&cursor=${page.body.next_cursor}`);

    expect([page, rest].map(({ body }) => body.data[0].id)).toEqual([second.id, first.id]);
    expect(rest.body.next_cursor).toBeNull();
    expect(Object.keys(page.body.data[0]).slice(0, 5)).toEqual([
      'id',
      'name',
      'status',
      'created_at',
      'updated_at',
    ]);
    const active = await call('GET', '?status=active');
    expect(active.body.data.map(({ id }: { id: string }) => id)).toEqual([first.id]);
  });
});
