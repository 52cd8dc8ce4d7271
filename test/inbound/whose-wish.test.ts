import { describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aPreferenceWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

describe('a wish to get no more messages, or to get them again', () => {
  const writes = (from: string, text: string, secondsAgo: number): Promise<void> =>
    scene.writes(from, text, { timestamp: `${Math.floor(Date.now() / 1000) - secondsAgo}` });

  it('counts by when it was written: a later STOP stands, in whichever order they come', async () => {
    const from = scene.aPhone();

    await writes(from, 'STOP', 90);
    await writes(from, 'SAIR', 30);
    await writes(from, 'VOLTAR', 60);
    const late = await scene.standing(from);
    await writes(from, 'VOLTAR', 10);

    expect(late).toMatchObject({ opted_out: true, evidence: 'STOP' });
    expect(await scene.standing(from)).toMatchObject({ opted_out: false });
  });

  it('counts by when it was written: a later VOLTAR stands, in whichever order they come', async () => {
    const known = scene.aPhone();
    const quick = scene.aPhone();
    await writes(known, 'STOP', 90);
    for (const from of [known, quick]) {
      await writes(from, 'VOLTAR', 30);
      await writes(from, 'SAIR', 60);
      const stopped = { waId: from, value: 'stop', at: new Date(Date.now() - 60_000) };
      await scene.stage.post(aPreferenceWebhook(scene.phoneNumberId, stopped));
      await scene.stage.process();
    }
    const late = [await scene.standing(known), await scene.standing(quick)];
    await writes(quick, 'STOP', 10);

    expect(late).toMatchObject([
      { opted_out: false, said: [expect.anything()] },
      { opted_out: false, said: [] },
    ]);
    expect(await scene.standing(quick)).toMatchObject({ opted_out: true, evidence: 'STOP' });
  });

  let people = 0;
  /** Two contacts of one person: one known by WhatsApp's id alone, the other by a phone alone. */
  const twoOfOne = async (phone: string) => {
    const user = `BR.99887766${10 + ++people}`;
    await scene.writes('', 'Oi', { userId: user });
    const [known] = await scene.rows<{ id: string }>(
      'select contact_id as id from contact_identities where value = $1',
      [user],
    );
    const ids = [known?.id, (await aContact(scene.ctx, { phone })).id];
    const standings = async (): Promise<boolean[]> => {
      const rows = await scene.rows<{ out: boolean }>(
        'select opted_out as out from contacts where id = any($1)',
        [ids],
      );
      return rows.map(({ out }) => out);
    };
    return { user, standings };
  };

  it.each([
    ['as WhatsApp does', '+5511984777001', '5511984777001'],
    ['without the ninth digit, which WhatsApp writes', '+551184777002', '5511984777002'],
    ['with the ninth digit, which WhatsApp leaves out', '+5511984777003', '551184777003'],
  ])(
    'holds for both contacts of a person whose id and phone belong to two, spelled %s',
    async (_, phone, from) => {
      const { user, standings } = await twoOfOne(phone);
      const says = async (text: string): Promise<boolean[]> => {
        await scene.writes(from, text, { from_user_id: user });
        return standings();
      };

      expect(await says('STOP')).toEqual([true, true]);
      expect(await says('VOLTAR')).toEqual([false, false]);
    },
  );

  it('holds for both also where it is a switch in WhatsApp', async () => {
    const { user, standings } = await twoOfOne('+5511984777004');
    const prefers = async (value: string): Promise<boolean[]> => {
      const told = { waId: '551184777004', userId: user, value };
      await scene.stage.post(aPreferenceWebhook(scene.phoneNumberId, told));
      await scene.stage.process();
      return standings();
    };
    await scene.writes('551184777004', 'Oi', { from_user_id: user });

    expect(await prefers('stop')).toEqual([true, true]);
    expect(await prefers('resume')).toEqual([false, false]);
  });
});
