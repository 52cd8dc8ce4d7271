/** The least that can send a campaign: the same messages to the same simulator, nothing kept. */
import { Pool } from 'undici';
import { forEachLimited } from '../../src/concurrency.ts';
import { newId } from '../../src/ids.ts';
import { phoneOf, TEXT } from '../support/people.ts';
import { printLoop } from '../support/print-loop.ts';

const { BARE_TARGET = '', BARE_COUNT = '10000', BARE_WIDTH = '64' } = process.env;
const count = Number(BARE_COUNT);
const width = Number(BARE_WIDTH);
const pool = new Pool(BARE_TARGET, { connections: width });

await printLoop(count, () =>
  forEachLimited(width, [...Array(count).keys()], async (n) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v23.0/100000000000009/messages',
      headers: { authorization: 'Bearer bare', 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: phoneOf(n).slice(1),
        type: 'text',
        text: { body: TEXT },
        biz_opaque_callback_data: newId('msg'),
      }),
    });
    await body.json();
    if (statusCode !== 200) throw new Error(`the simulator answered ${statusCode}`);
  }),
);
await pool.close();
