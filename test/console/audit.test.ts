import { expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { audit } from '../../src/audit/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const note = (ctx: ConsoleScene['ctx'], name: string): Promise<void> =>
  transact(ctx, (tx) =>
    audit(tx, { action: 'test.done', target: { type: 'test', id: 't', name } }),
  );

it('is a page and a file, for those who may read it, with the entries of the workspace alone', async () => {
  const other = await aWorkspace(scene.database);
  await note(other.ctx, 'Segredo');
  await note(scene.ctx, '=1+1');
  await note(scene.ctx, 'Padaria, "a"');
  const { owner, agent } = scene.people;

  const page = await owner.get(`${scene.base}/audit`);
  const file = await owner.get(`${scene.base}/audit.csv`);

  expect(page.text).toContain(`href="${scene.base}/audit.csv"`);
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; filename\*=UTF-8''audit-org_/,
  );
  const [head, last, before] = file.text.split('\r\n');
  expect(head).toMatch(/^seq,created_at,action,actor_type,/);
  expect(last).toMatch(/,test\.done,system,,tests,,,test,t,"Padaria, ""a""",\[\],,,,$/);
  expect(before).toContain(",test,t,'=1+1,");
  for (const { text } of [page, file]) expect(text).not.toContain('Segredo');
  expect((await agent.get(`${scene.base}/audit.csv`)).status).toBe(403);
});

it('has the address, the program and the request by which somebody did it in the file', async () => {
  const { owner } = scene.people;
  await owner.send(`${scene.base}/settings`, 'save', {
    name: 'Padaria Boreal',
    time_zone: 'America/Sao_Paulo',
    language: 'pt-BR',
    idle_close_hours: '48',
  });

  const file = await owner.get(`${scene.base}/audit.csv`);

  const line = file.text.split('\r\n').find((one) => one.includes('workspace.updated'));
  expect(line).toMatch(/,127\.0\.0\.1,node,req_\w+,[^,]+$/);
});

it('shows moments in the time zone of the workspace, and leaves them as they are in the file', async () => {
  const at = '2026-12-01T12:00:00.000Z';
  const never = '2026-99-01T12:00:00.000Z';
  const changes = [
    { field: 'send_at', from: null, to: at },
    { field: 'custom.when', from: never, to: `at ${at}` },
  ];
  const target = { type: 'test', id: 't', name: '' };
  await transact(scene.ctx, (tx) => audit(tx, { action: 'test.timed', target, changes }));
  const { owner } = scene.people;

  const page = await owner.get(`${scene.base}/audit`);
  const file = await owner.get(`${scene.base}/audit.csv`);

  expect(page.text).toContain('<code>send_at</code>: empty → Dec 1, 2026, 9:00');
  expect(page.text).toContain(`${never} → at ${at}`);
  expect(file.text.split('\r\n').find((one) => one.includes('test.timed'))).toContain(at);
});

it('says in words what was done, in the language of the reader', async () => {
  await transact(scene.ctx, (tx) =>
    audit(tx, {
      action: 'member.sign_in_locked',
      target: { type: 'member', id: 'mem_1', name: 'Bia' },
    }),
  );
  const { owner } = scene.people;

  const english = await owner.get(`${scene.base}/audit`);
  const portuguese = await owner.get(`${scene.base}/audit`, { 'accept-language': 'pt-BR' });

  expect(english.text).toContain('Locked the sign-in for a while after too many attempts');
  expect(portuguese.text).toContain('Bloqueou a entrada por um tempo após muitas tentativas');
  for (const { text } of [english, portuguese]) expect(text).toContain('member.sign_in_locked');
});

/** Names and actions are links, by which the log is narrowed. */
const withoutLinks = (text: string): string => text.replaceAll(/<\/?a\b[^>]*>/g, '');

it('names the part of the service that did it in the language of the reader', async () => {
  await note({ ...scene.ctx, actor: system('assignment queue') }, 'Fila');
  const { owner } = scene.people;

  const english = await owner.get(`${scene.base}/audit`);
  const portuguese = await owner.get(`${scene.base}/audit`, { 'accept-language': 'pt-BR' });

  expect(withoutLinks(english.text)).toContain(
    'assignment queue <span class="soft">(the service)</span>',
  );
  expect(withoutLinks(portuguese.text)).toContain(
    'fila de atribuição <span class="soft">(o serviço)</span>',
  );
});

it('names the app and the person of what an app did', async () => {
  const app = { id: 'app_1', name: 'Planilhas' };
  const actor = { type: 'member', id: 'mem_1', name: 'Bia Ramos', app } as const;
  const target = { type: 'test', id: 't', name: '' };
  await transact(scene.ctx, (tx) => audit({ ...tx, actor }, { action: 'test.by_app', target }));
  const { owner } = scene.people;

  const page = await owner.get(`${scene.base}/audit`);
  const file = await owner.get(`${scene.base}/audit.csv`);

  expect(withoutLinks(page.text)).toContain(
    'Planilhas <span class="soft">(app)</span><br>on behalf of Bia Ramos',
  );
  const line = file.text.split('\r\n').find((one) => one.includes('test.by_app'));
  expect(line).toMatch(/,app,app_1,Planilhas,mem_1,app_1,.*,Bia Ramos$/);
});

it('names the person by the id where an earlier release wrote the entry', async () => {
  await transact(scene.ctx, ({ sql, organizationId }) =>
    sql.rows(
      `insert into audit_entries (organization_id, id, seq, action, actor, target, changes, created_at, hash)
       values ($1, 'aud_0', 999999, 'test.earlier', '{"type":"app","id":"app_1","name":"Planilhas","member_id":"mem_0","app_id":"app_1"}',
         '{"type":"test","id":"t","name":""}', '[]', now(), '')`,
      [organizationId],
    ),
  );
  const { owner } = scene.people;

  const page = await owner.get(`${scene.base}/audit`);
  const file = await owner.get(`${scene.base}/audit.csv`);

  expect(withoutLinks(page.text)).toContain('on behalf of <code>mem_0</code>');
  const line = file.text.split('\r\n').find((one) => one.includes('test.earlier'));
  expect(line).toMatch(/,app,app_1,Planilhas,mem_0,app_1,.*,$/);
});

it('is read page by page, and the file holds more than one piece of it, each entry once', async () => {
  await transact(scene.ctx, ({ sql, organizationId }) =>
    sql.rows(
      `insert into audit_entries (organization_id, id, seq, action, actor, target, changes, created_at, hash)
       select $1, 'aud_' || n, 1000000 + n, 'test.many', '{"type":"system","id":null,"name":"x","member_id":null,"app_id":null}',
         '{"type":"test","id":"t","name":""}', '[]', now(), '' from generate_series(1, 2100) n`,
      [organizationId],
    ),
  );

  const { text } = await scene.people.owner.get(`${scene.base}/audit.csv`);

  const many = text.split('\r\n').filter((line) => line.includes('test.many'));
  expect(many).toHaveLength(2100);
  expect(new Set(many).size).toBe(2100);
  const address = `${scene.base}/audit`;
  const first = (await scene.people.owner.get(address)).text;
  const [next = ''] = /\/console[^"]*before=\d+/.exec(first) ?? [];
  const second = (await scene.people.owner.get(next)).text;
  expect(first).not.toContain('First page');
  expect(second).toContain(`href="${address}">First page`);
  const leadsOn = async (before: number): Promise<boolean> => {
    const last = `${address}?action=test.many&before=${before}`;
    return (await scene.people.owner.get(last)).text.includes(';before=');
  };
  expect([await leadsOn(1_000_052), await leadsOn(1_000_051)]).toEqual([true, false]);
});
