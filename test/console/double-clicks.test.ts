import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Addresses, aRecordForEveryPage, NO_ANSWER } from './support/every-page.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene, type Fields } from './support/scene.ts';

let scene: ConsoleScene;
let addresses: Addresses;
beforeAll(async () => {
  scene = await aConsoleScene([NO_ANSWER]);
  addresses = await aRecordForEveryPage(scene.ctx);
});
afterAll(() => scene?.close());

/** In this order: what a record is needed for comes before its end. */
const DONE: readonly (readonly [string, string, Fields])[] = [
  ['/automations/:id', 'save', { name: 'Outra' }],
  ['/automations/:id/versions/:version', 'restore', {}],
  ['/campaigns/:id/edit', 'save', { name: 'Outra' }],
  ['/forms/:id/edit', 'save', { title: 'Outro' }],
  ['/segments/:id/edit', 'save', { name: 'Outro' }],
  ['/reminders/:id/edit', 'save', { title: 'Outro' }],
  ['/webhooks/:id/edit', 'save', { name: 'Outro' }],
  ['/automations/:id', 'deactivate', {}],
  ['/automations/:id', 'activate', { action: ['save', 'activate'] }],
  ['/inbox/:id', 'read', {}],
  ['/inbox/:id', 'transfer', {}],
  ['/inbox/:id', 'close', { action: ['reply', 'close'] }],
  ['/inbox/:id', 'reopen', {}],
  ['/contacts/imports/:id', 'stop', {}],
  ['/reminders/:id', 'cancel', {}],
  ['/forms/:id', 'unpublish', {}],
  ['/forms/:id', 'publish', {}],
  ['/segments/:id', 'delete', {}],
  ['/members', 'invite', { email: 'bia@example.com', name: 'Bia' }],
  ['/members/:id', 'suspend', {}],
  ['/members/:id', 'reactivate', {}],
  ['/members/:id', 'remove', {}],
  ['/teams', 'remove', {}],
  ['/webhooks/:id', 'delete', {}],
  ['/api-keys', 'revoke', {}],
  ['/connections', 'disconnect', {}],
  ['/apps/:id', 'review', { data_use: 'Planilhas.' }],
  ['/apps/:id', 'delete', {}],
];

it.each(DONE)('answers a double click on %s %s as the first click', async (page, action, wish) => {
  const path = scene.base + addresses[page];
  const { owner } = scene.people;
  const form = { ...formIn((await owner.get(path)).text, action), ...wish };

  const both = await Promise.all([owner.post(path, form), owner.post(path, form)]);
  const later = await owner.post(path, form);

  const [first, ...others] = [...both, later].map(({ status, headers }) => [
    status,
    headers.get('location'),
  ]);
  expect(first).toEqual([303, expect.stringContaining(scene.base)]);
  expect(others).toEqual([first, first]);
});

it('mails one invitation for a double click, and one more for the next page', async () => {
  const { owner } = scene.people;
  const list = `${scene.base}/members`;
  const wish = { email: 'caio@example.com', name: 'Caio' };
  const twice = async (path: string, action: string, fields: Fields = {}) => {
    const form = { ...formIn((await owner.get(path)).text, action), ...fields };
    await Promise.all([owner.post(path, form), owner.post(path, form)]);
    return scene.mails.filter(({ to }) => to === wish.email).length;
  };
  expect(await twice(list, 'invite', wish)).toBe(1);
  const [, id] = /members\/(mem_[^"]+)">Caio/.exec((await owner.get(list)).text) ?? [];

  expect(await twice(`${list}/${id}`, 'invite_again')).toBe(2);
});

it('sends what was refused again, from the same page', async () => {
  const { owner } = scene.people;
  const path = `${scene.base}/members`;
  const form = { ...formIn((await owner.get(path)).text, 'invite'), name: 'Davi' };
  const sent = async (email: string) => (await owner.post(path, { ...form, email })).status;

  expect([await sent('davi'), await sent('davi'), await sent('davi@example.com')]).toEqual([
    422, 422, 303,
  ]);
});
