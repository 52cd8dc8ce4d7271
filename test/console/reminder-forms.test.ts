import { expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

/** Where the reminder that this form makes is shown. */
async function made(more: Fields): Promise<string> {
  const { id: number_id } = await aNumber(scene.ctx);
  const { id: contact_id } = await aContact(scene.ctx);
  const { status, headers } = await scene.people.agent.send(
    `${scene.base}/reminders/new`,
    'create',
    {
      title: 'Retorno',
      text: 'Oi!',
      number_id,
      audience: 'contact',
      contact_id,
      repeat: 'weekly',
      weekday: '3',
      time: '09:00',
      ...more,
    },
  );
  expect(status).toBe(303);
  return headers.get('location') ?? '';
}

it('a reminder for one day does not keep the end that was written for a repeated one', async () => {
  await made({ repeat: 'once', date: '2199-12-24', ends_on: '2199-12-31' });

  const kept = await rowsOf(scene.ctx, "select ends_on from reminders where repeat = 'once'");
  expect(kept).toEqual([{ ends_on: null }]);
});

it('a reminder without a time zone goes by that of the workspace', async () => {
  await made({ title: 'Sem fuso' });

  const kept = await rowsOf(scene.ctx, "select time_zone from reminders where title = 'Sem fuso'");
  expect(kept).toEqual([{ time_zone: 'America/Sao_Paulo' }]);
});

it('a reminder is changed and cancelled on its page as long as it is active', async () => {
  const { agent } = scene.people;
  const place = await made({});
  const offered = async (): Promise<string[]> => {
    const { text } = await agent.get(place);
    return [`href="${place}/edit"`, 'value="cancel"'].filter((step) => text.includes(step));
  };

  const before = await offered();
  await agent.send(place, 'cancel');

  expect(before).toHaveLength(2);
  expect(await offered()).toEqual([]);
});
