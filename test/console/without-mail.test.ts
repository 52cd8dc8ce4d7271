import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { addMember } from '../../src/members/service.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene([], false));

it('where no mail is sent, nobody is invited by one, and the page says who adds people', async () => {
  const { owner } = scene.people;
  const person = { email: 'bia@example.com', name: 'Bia', role: 'agent' } as const;
  const { id } = await transact(scene.ctx, (tx) => addMember(tx, person));

  const { text } = await owner.get(`${scene.base}/members`);
  const portuguese = await owner.get(`${scene.base}/members`, {
    'accept-language': 'pt-BR',
  });
  const hers = await owner.get(`${scene.base}/members/${id}`);

  expect(text).toContain('This service sends no mail');
  expect(portuguese.text).toContain('Daqui não saem e-mails');
  for (const page of [text, portuguese.text]) {
    expect(page).toContain('wms member add');
    expect(page).not.toContain('name="email"');
  }
  expect([hers.status, hers.text.includes('value="invite_again"')]).toEqual([200, false]);
});
