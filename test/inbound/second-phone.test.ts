import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listContacts } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { openWritingHouse, type WritingHouse } from './support/writing.ts';

let scene: WritingHouse;
beforeAll(async () => {
  scene = await openWritingHouse();
});
afterAll(() => scene.house.close());

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
