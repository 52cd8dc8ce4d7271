import { expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { PHONE } from '../support/factories/forms.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

/** As every browser sends what was written in two lines. */
const SENT = 'Olá,\r\naté já';

type Written = [path: string, action: string, fields: Fields];

const to = async () => ({
  number_id: (await aNumber(scene.ctx)).id,
  contact_id: (await aContact(scene.ctx)).id,
});

it.each<[string, string, () => Promise<Written>]>([
  [
    'a message to a contact',
    'text from messages',
    async () => {
      const { number_id, contact_id } = await to();
      const fields = { number_id, text: SENT, client_ref: 'x' };
      return [`/contacts/${contact_id}`, 'write', fields];
    },
  ],
  [
    'a campaign',
    'text from campaigns',
    async () => {
      const { number_id, contact_id: contact_ids } = await to();
      const sending = { number_id, contact_ids, audience: 'contacts', pace: '60' };
      return ['/campaigns/new', 'create', { ...sending, name: 'Oferta', text: SENT }];
    },
  ],
  [
    'a reminder',
    'text from reminders',
    async () => {
      const when = { audience: 'contact', repeat: 'weekly', weekday: '3', time: '09:00' };
      return ['/reminders/new', 'create', { ...(await to()), ...when, title: 'Oi', text: SENT }];
    },
  ],
  [
    'a form',
    'description as text from forms',
    async () => {
      const fields = JSON.stringify([PHONE]);
      return ['/forms/new', 'create', { title: 'Pedido', fields, description: SENT }];
    },
  ],
  [
    'what is noted of a new contact',
    "notes as text from contacts where name = 'Nova'",
    async () => ['/contacts/new', 'create', { name: 'Nova', notes: SENT }],
  ],
  [
    'what is noted of a contact',
    "notes as text from contacts where notes <> '' and name <> 'Nova'",
    async () => [`/contacts/${(await to()).contact_id}`, 'save', { name: 'Ana', notes: SENT }],
  ],
])('%s keeps its lines as the API has them', async (_, stored, write) => {
  const [path, action, fields] = await write();

  const { status } = await scene.people.owner.send(scene.base + path, action, fields);

  expect(status).toBe(303);
  expect(await rowsOf(scene.ctx, `select ${stored}`)).toEqual([{ text: 'Olá,\naté já' }]);
});
