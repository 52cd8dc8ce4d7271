import { wholeProof } from '../../campaigns/proof/proving.ts';
import { readCampaign } from '../../campaigns/reading.ts';
import { isFinal, unsettledOf } from '../../campaigns/rules.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { type ConsolePage, idOf, type PageFile } from '../page.ts';

/** The proof of a finished campaign, as a file that `wms campaign proof verify` checks. */
export const proofFile: ConsolePage = {
  path: '/campaigns/:id/proof.jsonl',
  id: 'cmp',
  permission: 'campaigns.read',
  view: async ({ ctx, params }): Promise<PageFile> => {
    const id = idOf({ params });
    const { status, results } = await readCampaign(ctx, id);
    if (!isFinal(status) || unsettledOf(results) > 0) throw notFound('page');
    return {
      name: `${id}.proof.jsonl`,
      type: 'application/jsonl',
      pieces: async function* (read) {
        const sql: Sql = { rows: (...statement) => read((own) => own.rows(...statement)) };
        for await (const line of wholeProof({ ...ctx, sql }, id)) yield `${JSON.stringify(line)}\n`;
      },
    };
  },
};
