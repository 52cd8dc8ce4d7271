import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import { lockNumber } from './known.ts';
import { THROUGHPUTS, type Throughput } from './rules.ts';

/**
 * Says what WhatsApp grants a number: `high` after an upgrade, `shared` while it is used in the Business app too. What is
 * sent from now on keeps to it. Throws 404, and 422 for a number that is not of the Cloud API.
 *
 * @returns messages a minute
 */
export const setThroughput = (ctx: Context, id: string, throughput: Throughput): Promise<number> =>
  transact(ctx, async (tx) => {
    const number = await lockNumber(tx, id);
    const { name, provider, ceilingPerMinute: from = null } = number;
    const message = 'Only a number of the Cloud API has a throughput of its own.';
    if (provider !== 'cloud_api')
      throw validation([{ path: 'throughput', rule: 'not_applicable', message }]);
    const to = THROUGHPUTS[throughput];
    if (to === from) return to;
    number.ceilingPerMinute = to;
    await tx.em.flush();
    await audit(tx, {
      action: 'number.updated',
      target: { type: 'number', id, name },
      changes: [{ field: 'ceiling_per_minute', from, to }],
    });
    return to;
  });
