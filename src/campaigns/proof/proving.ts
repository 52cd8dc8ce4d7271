import type { ReadContext } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { AppError, invalidState, notFound } from '../../errors.ts';
import { eligibleOf } from '../audience/estimating.ts';
import { presentExcluded } from '../present.ts';
import { findDetail } from '../queries.ts';
import { isFinal, unsettledOf } from '../rules.ts';
import {
  beginningOf,
  type ChainedLine,
  firstLink,
  nextLink,
  noOutcomes,
  type ProofBeginning,
  type ProofEnding,
  type ProofLine,
} from './chain.ts';
import type { ProofView } from './schema.ts';

export interface ProofPage {
  /** The last line of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * One line for each recipient of a finished campaign, chained by hashes from the frozen audience on. It states what
 * is known now: a later status webhook results in a different head if it settles an `unconfirmed` recipient, reports a
 * `sent` message as lost, or a `failed` one as delivered. Throws 409 `invalid_state` before the campaign is over and
 * its last sends are settled, 400 `invalid_cursor` for a line that is none of its own.
 */
export async function proveCampaign(
  ctx: ReadContext,
  id: string,
  page: ProofPage,
): Promise<ProofView> {
  const beginning = await beginningFor(ctx, id);
  if (page.after !== null) await requireLine(ctx, id, page.after);
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

/** Throws 400 `invalid_cursor`, as lists do for a place that is not theirs. */
async function requireLine(ctx: ReadContext, id: string, recipientId: string): Promise<void> {
  const line = await first(
    ctx.sql,
    'select from campaign_recipients where organization_id = $1 and campaign_id = $2 and id = $3',
    [ctx.organizationId, id, recipientId],
  );
  if (line) return;
  const message = 'The campaign has no such recipient. Pass on `next_after` unchanged.';
  throw new AppError('invalid_cursor', message, { path: 'after' });
}

/** The whole proof for a file, piece by piece: its beginning, each line, its end. */
export async function* wholeProof(
  ctx: ReadContext,
  id: string,
): AsyncGenerator<ProofBeginning | ChainedLine | ProofEnding> {
  const beginning = await beginningFor(ctx, id);
  yield beginning;
  const outcomes = noOutcomes();
  let link = firstLink(beginning);
  let after: string | null = null;
  do {
    const lines: ProofLine[] = await linesOf(ctx, id, { after, limit: AT_ONCE - 1 });
    for (const line of lines) {
      link = nextLink(link, line);
      outcomes[line.outcome] += 1;
      yield { ...line, hash: link };
    }
    after = lines.length === AT_ONCE ? (lines.at(-1)?.recipient_id ?? null) : null;
  } while (after !== null);
  const head = await linkAt(ctx, beginning, null);
  // A status webhook changed a line between two pages.
  if (head !== link) throw new AppError('conflict', 'It changed while it was read. Ask again.');
  yield { head, outcomes };
}

/** Lines read in one statement. */
const AT_ONCE = 1_000;

const OVER = ['done', 'cancelled'] as const;

async function beginningFor(ctx: ReadContext, id: string): Promise<ProofBeginning> {
  const row = await findDetail(ctx, id);
  if (!row) throw notFound('campaign');
  if (!isFinal(row.status)) throw invalidState(row.status, OVER);
  const unsettled = unsettledOf(row.by_status);
  if (unsettled > 0) {
    const message = 'Its last sends are still being settled. Ask again in a moment.';
    const details = { status: row.status, allowed: OVER, unsettled };
    throw new AppError('invalid_state', message, details);
  }
  return {
    campaign_id: id,
    total: row.total,
    eligible: eligibleOf(row),
    excluded: presentExcluded(row),
    frozen_at: row.frozen_at?.toISOString() ?? null,
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

/** The hash after this line, or after the last one; computed in the database, so that no list is read for it. */
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
