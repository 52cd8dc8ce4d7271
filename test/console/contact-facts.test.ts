import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

const shown = async (id: string, language = 'en'): Promise<string> =>
  (await scene.people.viewer.get(`${scene.base}/contacts/${id}`, { 'accept-language': language }))
    .text;

const rows = (text: string, params: unknown[]): Promise<unknown[]> =>
  transact(scene.ctx, ({ sql }) => sql.rows(text, params));

it('says since when and how somebody opted out, before that is taken back', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Ana' });
  const at = new Date('2026-11-20T12:00:00Z');
  await transact(scene.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null, at }));

  expect(await shown(id)).toMatch(
    /<dt>Wants no messages since<\/dt><dd>Nov 20, 2026, [^<]*, they wrote it<\/dd>/,
  );
  expect(await shown(id, 'pt-BR')).toContain(', escreveu que não quer</dd>');
});

it('shows a Viewer what the API tells them: notes, who is in charge, how they came and whether WhatsApp reaches them', async () => {
  const { id: owner_id } = await aMember(scene.ctx, { role: 'admin' });
  const { id } = await aContact(scene.ctx, { name: 'Bia', notes: 'Liga às 9h\n<b>', owner_id });
  await rows(`update contacts set whatsapp_status = 'invalid' where id = $1`, [id]);

  const text = await shown(id);

  expect(text).toContain('<dd><span class="written">Liga às 9h\n&lt;b&gt;</span></dd>');
  expect(text).toContain('<dt>In charge</dt><dd>Pessoa admin</dd>');
  expect(text).toContain('<dt>Came by</dt><dd>an import or the API</dd>');
  expect(text).toContain('<dt>On WhatsApp</dt><dd>no</dd>');
});
