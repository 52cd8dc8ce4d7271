import { expect, it } from '@jest/globals';
import { nameOfContact } from '../../src/contacts/names.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { anEcho } from './support/echo.ts';

const stage = opened(openInboundStage);

interface Named {
  readonly name: string;
  readonly phone: string;
  readonly email: null;
}

/** The contact that a message of somebody with these profile names makes, one message each. */
async function known(...profiles: readonly string[]): Promise<Named> {
  const { ctx } = await aWorkspace(stage.database);
  const { phoneNumberId } = await aNumber(ctx);
  for (const [i, name] of profiles.entries())
    await stage.post(aMessageWebhook(phoneNumberId ?? '', { id: `wamid.${i}`, name }));
  await stage.process();
  const [contact] = await rowsOf<Named>(ctx, 'select name, phone, email from contacts');
  return contact as Named;
}

it.each([
  ['a mark of direction', '\u200e'],
  ['zero-width spaces', '\u200b\u200b'],
  ['Hangul’s filler', '\u3164'],
  ['empty braille cells', '\u2800 \u2800'],
  ['too many to show what follows', `${'\u200b'.repeat(200)}Ana`],
])('somebody whose name is nothing but %s is called by their phone', async (_, name) => {
  expect(nameOfContact(await known(name))).toBe('+5511987654321');
});

it('somebody without a name to show gets the one that they give themselves later', async () => {
  expect((await known('\u200e', 'Ana')).name).toBe('Ana');
});

it('somebody whom WhatsApp names by another form of their phone has their name', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const { phoneNumberId } = await aNumber(ctx);
  const told = JSON.stringify(aMessageWebhook(phoneNumberId ?? '', { id: 'wamid.other' }));
  await stage.post(told.replace('"wa_id":"5511987654321"', '"wa_id":"551187654321"'));
  await stage.process();

  expect(await rowsOf(ctx, 'select name, phone from contacts')).toEqual([
    { name: 'Ana', phone: '+5511987654321' },
  ]);
});

it('a name that shows keeps its invisible characters, which join emoji', async () => {
  expect((await known('👩\u200d🍳 Ana')).name).toBe('👩\u200d🍳 Ana');
});

const file = (filename: string): object => ({
  type: 'document',
  document: { id: '123', filename, mime_type: 'application/pdf' },
});

it.each<[string, (phoneNumberId: string, filename: string) => object]>([
  ['a person', (to, name) => aMessageWebhook(to, { id: 'wamid.1', ...file(name) })],
  ['somebody of ours on the phone', (to, name) => anEcho(to, { id: 'wamid.1', ...file(name) })],
])('the file of %s has a name that shows as it is, with its ending', async (_, webhook) => {
  const { ctx } = await aWorkspace(stage.database);
  const { phoneNumberId } = await aNumber(ctx);

  await stage.post(webhook(phoneNumberId ?? '', `${'x'.repeat(300)}contrato\u202Efdp\n.exe `));
  await stage.process();

  const name = `${'x'.repeat(185)}contratofdp.exe`;
  expect(await rowsOf(ctx, 'select name from media')).toEqual([{ name }]);
  expect(await rowsOf(ctx, 'select media_name from messages')).toEqual([{ media_name: name }]);
});
