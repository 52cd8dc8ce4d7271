import { expect, it } from '@jest/globals';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aReminderRun } from '../support/factories/reminders.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(aConsoleScene);

it('a run of a reminder tells what became of each whom it was for', async () => {
  const { agent } = scene.people;
  const { id: number_id } = await aNumber(scene.ctx);
  const greeting = newReminderOf({
    title: 'Retorno',
    text: 'Oi!',
    target: 'birthday',
    number_id,
    repeat: 'yearly',
    time: '09:00',
  });
  const { id } = await createReminder(scene.ctx, greeting);
  const ana = await aContact(scene.ctx, { name: 'Ana Prado' });
  const bia = await aContact(scene.ctx, { name: 'Bia Reis' });
  const run = await aReminderRun(scene.ctx, id, [
    { contact_id: ana.id, status: 'sent' },
    { contact_id: bia.id, status: 'skipped', reason: 'opted_out' },
  ]);
  const behind = `${scene.base}/reminders/${id}/runs/${run}`;

  expect((await agent.get(`${scene.base}/reminders/${id}`)).text).toContain(`<a href="${behind}">`);
  const all = (await agent.get(behind)).text;
  const skipped = (await agent.get(`${behind}?status=skipped`)).text;
  const none = (await agent.get(`${behind}?status=failed`)).text;

  expect(all).toMatch(/>Bia Reis<\/a>.*left out.*opted out.*>Ana Prado<\/a>.*sent/s);
  expect(skipped).toContain('>Bia Reis</a>');
  expect(skipped).not.toContain('Ana Prado');
  expect(none).toContain('Nobody here.');
});
