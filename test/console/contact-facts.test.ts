import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { transact } from '../../src/db/transact.ts';
import { requireForm } from '../../src/forms/service.ts';
import { submitForm } from '../../src/forms/submitting.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm, PHONE } from '../support/factories/forms.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const shown = async (id: string, language = 'en'): Promise<string> =>
  (await scene.people.viewer.get(`${scene.base}/contacts/${id}`, { 'accept-language': language }))
    .text;

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
  await rowsOf(scene.ctx, `update contacts set whatsapp_status = 'invalid' where id = $1`, [id]);

  const text = await shown(id);

  expect(text).toContain('<dd><span class="written">Liga às 9h\n&lt;b&gt;</span></dd>');
  expect(text).toContain('<dt>In charge</dt><dd>Pessoa admin</dd>');
  expect(text).toContain('<dt>Came by</dt><dd>an import or the API</dd>');
  expect(text).toContain('<dt>On WhatsApp</dt><dd>no</dd>');
});

it('shows the exact words that somebody agreed to in a form, and when', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Caio' });
  const label = 'Quero receber <novidades>';
  const { id: formId } = await aForm(scene.ctx, {
    fields: [PHONE, { type: 'consent', label }],
  });
  const none = await shown(id);
  await transact(scene.ctx, async (tx) => {
    const form = await requireForm(tx, formId);
    const key = form.fields.find(({ type }) => type === 'consent')?.key ?? '';
    const values = new Map([[key, true]]);
    const tokenHash = randomBytes(32);
    await submitForm(tx, { form, values, tokenHash, linkedContactId: id });
  });

  expect(none).not.toContain('Agreed to');
  const agreed = `<dt>Agreed to</dt><dd><span class="written">Quero receber &lt;novidades&gt;</span>`;
  const where = `in the form <a href="${scene.base}/forms/${formId}">Cadastro</a>, `;
  expect(await shown(id)).toMatch(
    RegExp(`${agreed} <span class="soft">${where}\\w+ \\d+, 20\\d\\d`),
  );
});
