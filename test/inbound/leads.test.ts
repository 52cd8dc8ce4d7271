import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const place = opened(openWritingScene);

const AD = {
  source_url: 'https://fb.me/3cr4Wqqkv',
  source_type: 'ad',
  source_id: '1',
  ctwa_clid: 'x',
  headline: 'Bolo de festa',
  body: 'Encomende até sexta.',
};
const PRODUCT = { catalog_id: '1', product_retailer_id: 'bolo-1' };

it.each<[string, Record<string, unknown>, string[]]>([
  ['an ad', { referral: AD }, ['Bolo de festa\nEncomende até sexta.\nhttps://fb.me/3cr4Wqqkv']],
  ['a product', { context: { referred_product: PRODUCT } }, ['bolo-1']],
  ['something odd', { referral: 7, context: { referred_product: [] } }, []],
  ['nothing', {}, []],
])(
  'The conversation of a person who came by %s says so, and what they wrote stays theirs',
  async (_, fields, notes) => {
    await place.writes(place.aPhone(), 'Quero este!', fields);

    const [newest] = await place.rows<{ id: string; text: string }>(
      'select conversation_id as id, text from messages order by id desc limit 1',
    );
    const lines = await place.rows<{ note: string }>(
      `select data ->> 'note' as note from conversation_activities
     where conversation_id = $1 and type = 'referred' and actor ->> 'name' = 'WhatsApp'`,
      [newest?.id],
    );
    expect(newest?.text).toBe('Quero este!');
    expect(lines.map(({ note }) => note)).toEqual(notes);
  },
);
