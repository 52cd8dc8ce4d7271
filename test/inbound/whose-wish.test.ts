import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { openWritingHouse, type WritingHouse } from './support/writing.ts';

let scene: WritingHouse;
beforeAll(async () => {
  scene = await openWritingHouse();
});
afterAll(() => scene.house.close());

describe('a wish to get no more messages, or to get them again', () => {
  it('counts by when it was written: a later STOP stands, in whichever order they come', async () => {
    const from = scene.aPhone();
    const written = (text: string, secondsAgo: number) =>
      scene.writes(from, text, { timestamp: `${Math.floor(Date.now() / 1000) - secondsAgo}` });

    await written('STOP', 90);
    await written('SAIR', 30);
    await written('VOLTAR', 60);
    const late = await scene.standing(from);
    await written('VOLTAR', 10);

    expect(late).toMatchObject({ opted_out: true, evidence: 'STOP' });
    expect(await scene.standing(from)).toMatchObject({ opted_out: false });
  });

  it('holds for both contacts of a person whose id and phone belong to two', async () => {
    const [from, user] = [scene.aPhone(), 'BR.9988776655'];
    await scene.writes('', 'Oi', { userId: user });
    await aContact(scene.ctx, { phone: `+${from}` });
    const says = async (text: string): Promise<boolean[]> => {
      await scene.writes(from, text, { from_user_id: user });
      const flags = await scene.rows<{ out: boolean }>(
        `select c.opted_out as out from contacts c join contact_identities i on i.contact_id = c.id
         where i.value in ($1, $2)`,
        [user, `+${from}`],
      );
      return flags.map(({ out }) => out);
    };

    expect(await says('STOP')).toEqual([true, true]);
    expect(await says('VOLTAR')).toEqual([false, false]);
  });
});
