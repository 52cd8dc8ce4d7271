import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { factsOf } from '../support/rows-of.ts';
import { openWritingScene } from './support/writing.ts';

const place = opened(openWritingScene);

async function kept(fields: Record<string, unknown>): Promise<unknown> {
  await place.writes(place.aPhone(), '', { text: undefined, ...fields });
  const [newest] = await place.rows('select type, text from messages order by id desc limit 1');
  return newest;
}

const item = { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' };

it.each<[string, unknown, string]>([
  [
    'with its words',
    { catalog_id: '1', text: 'Love these!', product_items: [item] },
    'Love these!\n2 x di9ozbzfi4 (30 USD)',
  ],
  [
    'of several things',
    { product_items: [{ ...item, item_price: '7.99' }, { product_retailer_id: 'bolo-1' }] },
    '2 x di9ozbzfi4 (7.99 USD)\nbolo-1',
  ],
  [
    'that is odd',
    { text: 7, product_items: ['odd', { ...item, quantity: {} }] },
    'di9ozbzfi4 (30 USD)',
  ],
  ['of nothing', 'odder', ''],
])(
  'says of an order %s what is ordered, to whoever reads it and to endpoints',
  async (_, order, text) => {
    expect(await kept({ type: 'order', order })).toEqual({ type: 'unsupported', text });
    const events = await factsOf(place.ctx, 'message.received');
    expect(events.at(-1)?.['message']).toMatchObject({ type: 'unsupported', text });
  },
);

const deep = `{"a": ${'['.repeat(5_000)}1${']'.repeat(5_000)}, "b": 2}`;

it.each<[string, object, string]>([
  [
    'an address',
    {
      name: 'address_message',
      body: 'CEP 01310-100',
      response_json: '{"values":{"city":"São Paulo"}}',
    },
    'CEP 01310-100\ncity: São Paulo',
  ],
  [
    'a form without the token, which is ours',
    {
      name: 'flow',
      response_json: '{"flow_token":"unused","sizes":["P","M"],"when":null,"gift":true}',
    },
    'sizes: P\nsizes: M\ngift: true',
  ],
  ['something else than JSON', { response_json: 'sim' }, 'sim'],
  ['something without a bottom', { response_json: deep }, 'b: 2'],
  [
    'nothing that can be stored',
    { body: 'Sent', response_json: '{"a\\u0000":"\\ud800"}' },
    'Sent\na: \ufffd',
  ],
  ['nothing', { body: {} }, ''],
])('says what is answered in a form: %s', async (_, reply, text) => {
  const interactive = { type: 'nfm_reply', nfm_reply: reply };

  expect(await kept({ type: 'interactive', interactive })).toEqual({ type: 'unsupported', text });
});
