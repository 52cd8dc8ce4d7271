import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { invalidState, notFound } from '../errors.ts';
import { eligibleOf } from './estimating.ts';
import {
  beginningOf,
  firstLink,
  nextLink,
  type ProofBeginning,
  type ProofLine,
} from './proof-chain.ts';
import { findDetail } from './queries.ts';
import { isFinal } from './rules.ts';
import type { ProofView } from './schema.ts';

export interface ProofPage {
  /** The last line of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * One line for each recipient of a campaign that is over, chained by hashes from the frozen audience on.
 * It says what is known now: a status webhook that still comes for an `unconfirmed` one makes another head.
 */
export async function proveCampaign(
  ctx: ReadContext,
  id: string,
  page: ProofPage,
): Promise<ProofView> {
  const row = await findDetail(ctx, id);
  if (!row) throw notFound('campaign');
  if (!isFinal(row.status)) throw invalidState(row.status, ['done', 'cancelled']);
  const beginning: ProofBeginning = {
    campaign_id: id,
    total: row.total,
    eligible: eligibleOf(row),
    frozen_at: row.frozen_at?.toISOString() ?? null,
  };
  const lines = await linesOf(ctx, id, page);
  let link = page.after === null ? firstLink(beginning) : await linkAt(ctx, beginning, page.after);
  const chained = lines.slice(0, page.limit).map((line) => {
    link = nextLink(link, line);
    return { ...line, hash: link };
  });
  const more = lines.length > page.limit;
  return {
    ...beginning,
    lines: chained,
    next_after: more ? (chained.at(-1)?.recipient_id ?? null) : null,
    head: more ? await linkAt(ctx, beginning, null) : link,
  };
}

const OUTCOME = `case when status in ('delivered', 'read') then 'sent' else status end`;
const SETTLED = `to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const linesOf = (ctx: ReadContext, id: string, page: ProofPage): Promise<ProofLine[]> =>
  ctx.sql.rows(
    `select id as recipient_id, ${OUTCOME} as outcome, reason, message_id, ${SETTLED} as settled_at
     from campaign_recipients
     where organization_id = $1 and campaign_id = $2 and id > $3 order by id limit $4`,
    [ctx.organizationId, id, page.after ?? '', page.limit + 1],
  );

/** The hash after this line, or after the last one: chained in the database, so that no list is read for it. */
async function linkAt(
  ctx: ReadContext,
  beginning: ProofBeginning,
  through: string | null,
): Promise<string> {
  const row = await first<{ link: string | null }>(
    ctx.sql,
    `select encode(wms.chain($4, concat_ws('|', id, ${OUTCOME}, coalesce(reason, ''), coalesce(message_id, ''),
       coalesce(${SETTLED}, '')) order by id), 'hex') as link
     from campaign_recipients
     where organization_id = $1 and campaign_id = $2 and ($3::text is null or id <= $3)`,
    [ctx.organizationId, beginning.campaign_id, through, beginningOf(beginning)],
  );
  return row?.link ?? firstLink(beginning);
}
