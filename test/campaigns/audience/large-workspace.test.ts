import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../../src/campaigns/audience/previewing.ts';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import type { Rules } from '../../../src/segments/rules.ts';
import { analyze } from '../../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { rowsRead } from '../../support/rows-read.ts';

const PEOPLE = 4_000;
/** The contacts that are shown, a few times each. */
const ROWS = 100;

let database: OwnDatabase;
let ctx: Context;
let numberId: string;

/** One in the middle has opted out. */
const PEOPLE_WITH_PHONES = `
insert into contacts (organization_id, id, name, phone, phone_key, opted_out, origin, created_via, created_at, updated_at)
select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia ' || n, '+55119' || (70000000 + n), '+55119' || (70000000 + n),
  n = ${PEOPLE / 2}, 'import', 'import', now(), now() from generate_series(1, ${PEOPLE}) n`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  ({ id: numberId } = await aNumber(ctx));
  await rowsOf(ctx, PEOPLE_WITH_PHONES, [ctx.organizationId]);
  await analyze(database.url, 'contacts');
});

afterAll(() => database.close());

describe('a preview of a campaign to a segment', () => {
  const named = (name: string): Rules => ({ field: 'name', op: 'eq', value: name });

  it.each<[string, Rules, { eligible: number; recipients: number; leftOut: number }]>([
    [
      'everybody, and one of them is left out',
      { field: 'name', op: 'starts_with', value: 'Bia' },
      { eligible: PEOPLE - 1, recipients: 10, leftOut: 1 },
    ],
    [
      'everybody, and nobody is left out',
      { field: 'opted_out', op: 'is', value: false },
      { eligible: PEOPLE - 1, recipients: 10, leftOut: 0 },
    ],
    ['nobody', named('Bia 0'), { eligible: 0, recipients: 0, leftOut: 0 }],
    ['the newest of all', named(`Bia ${PEOPLE}`), { eligible: 1, recipients: 1, leftOut: 0 }],
  ])('reads every contact once: %s', async (name, rules, shown) => {
    const { id: segmentId } = await aSegment(ctx, { name, rules });
    const to = { target: 'segment' as const, segment_id: segmentId, contact_ids: [] };
    const { id } = await aCampaign(ctx, { ...to, number_id: numberId });

    const { preview, read } = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
      const before = await rowsRead(tx.sql, ['contacts']);
      const found = await previewCampaign(tx, id);
      return { preview: found, read: (await rowsRead(tx.sql, ['contacts'])) - before };
    });

    expect({
      eligible: preview.audience.eligible,
      recipients: preview.recipients.length,
      leftOut: preview.left_out.length,
    }).toEqual(shown);
    expect(read).toBeLessThan(PEOPLE + ROWS);
  });
});
