/** The least that can deliver: bodies that are there already, signed and posted, nothing kept. */
import { Pool } from 'undici';
import { newId } from '../../src/ids.ts';
import { decodeSecret, newSecret, signatureHeaders } from '../../src/webhooks/signing/signature.ts';
import { inFlight } from '../support/in-flight.ts';
import { sentFact } from '../support/people.ts';
import { printLoop } from '../support/print-loop.ts';

const { BARE_TARGET = '', BARE_COUNT = '20000', BARE_WIDTH = '64' } = process.env;
const count = Number(BARE_COUNT);
const width = Number(BARE_WIDTH);
const organizationId = newId('org');
const facts = Array.from({ length: count }, (_, n) => sentFact(organizationId, n));
const keys = [decodeSecret(newSecret())];
const pool = new Pool(BARE_TARGET, { connections: width });

await printLoop(count, () =>
  inFlight(count, width, async (n) => {
    const { id, payload } = facts[n] ?? { id: '', payload: '' };
    const timestamp = Math.floor(Date.now() / 1_000);
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/hooks/bare',
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({ id, timestamp, body: payload }, keys),
      },
      body: payload,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`);
  }),
);
await pool.close();
