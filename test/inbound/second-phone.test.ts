import { expect, it } from '@jest/globals';
import { listContacts } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

it('the phone that a person known by WhatsApp’s id shows later is found in any spelling', async () => {
  const user = 'BR.1122334455';
  await scene.writes('', 'Oi', { userId: user });
  await scene.writes('5511987001122', 'Sou eu', { from_user_id: user });
  const [known] = await scene.rows<{ id: string }>(
    'select contact_id as id from contact_identities where value = $1',
    [user],
  );

  const found: string[] = [];
  for (const phone of ['+5511987001122', '+551187001122']) {
    const { data } = await transact(scene.ctx, (tx) =>
      listContacts(tx, { phone }, { limit: 10, after: null }),
    );
    found.push(...data.map(({ id }) => id));
  }

  expect(found).toEqual([known?.id, known?.id]);
  await expect(aContact(scene.ctx, { phone: '+551187001122' })).rejects.toMatchObject({
    code: 'duplicate',
  });
});

it.each([
  ['as the owner has it', '+5511987002201', '5511987002201'],
  ['with the ninth digit, which the owner leaves out', '+551187002202', '5511987002202'],
  ['without the ninth digit, which the owner has', '+5511987002203', '551187002203'],
])(
  'a phone that another contact has stays theirs in every spelling, written %s',
  async (_, phone, from) => {
    const owner = await aContact(scene.ctx, { phone });
    const user = `BR.22${from}`;
    await scene.writes('', 'Oi', { userId: user });

    await scene.writes(from, 'Sou eu', { from_user_id: user });

    const phones = await scene.rows(
      `select p.value from contact_identities u
     join contact_identities p on p.contact_id = u.contact_id and p.type = 'phone' where u.value = $1`,
      [user],
    );
    expect(phones).toEqual([]);
    const found: string[] = [];
    for (const spelling of [phone, `+${from}`]) {
      const { data } = await transact(scene.ctx, (tx) =>
        listContacts(tx, { phone: spelling }, { limit: 10, after: null }),
      );
      found.push(...data.map(({ id }) => id));
    }
    expect(found).toEqual([owner.id, owner.id]);
  },
);

it('a second phone stays with whoever has it, in every spelling', async () => {
  const owner = 'BR.3300000001';
  const user = 'BR.3300000002';
  for (const each of [owner, user]) await scene.writes('', 'Oi', { userId: each });
  await scene.writes('551187003301', 'Meu', { from_user_id: owner });

  await scene.writes('5511987003301', 'Meu também', { from_user_id: user });

  const holders = await scene.rows(
    `select p.value from contact_identities u
     join contact_identities p on p.contact_id = u.contact_id and p.type = 'phone' where u.value = $1`,
    [user],
  );
  expect(holders).toEqual([]);
});
