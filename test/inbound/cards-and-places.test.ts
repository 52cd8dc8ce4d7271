import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const place = opened(openWritingScene);

async function kept(fields: Record<string, unknown>): Promise<unknown> {
  await place.writes(place.aPhone(), '', { text: undefined, ...fields });
  const [newest] = await place.rows('select type, text from messages order by id desc limit 1');
  return newest;
}

it('says of somebody’s cards who they are and their phones, whatever else is missing or odd', async () => {
  const phones = [{ phone: '+55 11 97777-0000', type: 'CELL' }, { phone: '(11) 3333-0000' }];
  const contacts = [
    { name: { formatted_name: 'João Encanador', first_name: 'João' }, phones },
    { name: { formatted_name: 'Padaria' } },
    { phones: [{ wa_id: '5511977770000' }, ...phones.slice(1)] },
    { name: 'odd', phones: 7 },
    'odder',
  ];

  expect(await kept({ type: 'contacts', contacts })).toEqual({
    type: 'contacts',
    text: 'João Encanador: +55 11 97777-0000, (11) 3333-0000\nPadaria\n(11) 3333-0000',
  });
  expect(await kept({ type: 'contacts' })).toEqual({ type: 'contacts', text: '' });
});

it('says of a place its name, its address and where it is', async () => {
  const where = { latitude: -23.5, longitude: -46.6 };
  const named = { ...where, name: 'Casa', address: 'Rua A, 1' };

  expect(await kept({ type: 'location', location: named })).toEqual({
    type: 'location',
    text: 'Casa\nRua A, 1\n-23.5,-46.6',
  });
  expect(await kept({ type: 'location', location: where })).toMatchObject({ text: '-23.5,-46.6' });
});
