import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { type FieldProblem, validation } from '../../errors.ts';
import { reachedByRetry } from '../audience/retries.ts';
import type { Campaign } from '../entities.ts';
import { RETRIED, type RetriedStatus } from '../rules.ts';
import { createCampaign, lockCampaign } from '../service.ts';

/** The recipients to retry: those named, otherwise all with these statuses. */
interface Retried {
  readonly statuses?: readonly RetriedStatus[] | undefined;
  readonly recipient_ids?: readonly string[] | undefined;
}

interface Recipient {
  readonly id: string;
  readonly status: string;
  readonly contact_id: string | null;
  readonly group_id: string | null;
  /** Whether the contact, or the group on the campaign's number, still exists. */
  readonly known: boolean;
  /** They got it, or may yet: from another retry, or as another recipient, because two contacts were merged. */
  readonly reached: boolean;
}

/**
 * Creates a new draft for the recipients that the campaign did not reach; the old campaign and its results stay as
 * they are. Throws 422 `validation` naming each recipient who cannot be retried; if chosen by status, those are left
 * out.
 */
export const retryCampaign = (ctx: Context, id: string, retried: Retried): Promise<Campaign> =>
  transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, 'retry');
    const { statuses = [], recipient_ids: ids } = retried;
    const lost = ids ? await named(tx, campaign, ids) : await inStatuses(tx, campaign, statuses);
    const { target, text } = campaign;
    const toGroups = target === 'groups';
    const paced = { number_id: campaign.numberId ?? '', pace: campaign.pace ?? null };
    return createCampaign(
      tx,
      {
        ...paced,
        name: nextName(campaign.name),
        target: toGroups ? 'groups' : 'contacts',
        segment_id: null,
        // Two contacts merged since then are one person.
        contact_ids: [...new Set(lost.flatMap(({ contact_id }) => contact_id ?? []))],
        group_ids: lost.flatMap(({ group_id }) => group_id ?? []),
        text,
        when: null,
      },
      { repeats: { ...paced, id, target, text } },
    );
  });

async function inStatuses(
  tx: Context,
  campaign: Campaign,
  statuses: readonly RetriedStatus[],
): Promise<Recipient[]> {
  const rows = await recipients(tx, campaign, 'r.status = any($4::text[])', statuses);
  const lost = rows.filter(({ known, reached }) => known && !reached);
  if (lost.length > 0) return lost;
  throw validation([{ path: 'statuses', ...(rows.length > 0 ? NONE_LEFT : NO_RECIPIENTS) }]);
}

const NO_RECIPIENTS = {
  rule: 'no_recipients',
  message: 'No recipient of the campaign has one of these statuses.',
};

const NONE_LEFT = {
  rule: 'none_left',
  message:
    'Whoever has one of these statuses got it by another retry, may get it yet, or is not there any more.',
};

async function named(
  tx: Context,
  campaign: Campaign,
  ids: readonly string[],
): Promise<Recipient[]> {
  const rows = await recipients(tx, campaign, 'r.id = any($4::text[])', ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const problems = ids.flatMap((id, i) => problemOf(`recipient_ids[${i}]`, byId.get(id)));
  if (problems.length > 0) throw validation(problems);
  return rows;
}

function problemOf(path: string, recipient: Recipient | undefined): FieldProblem[] {
  if (!recipient)
    return [{ path, rule: 'unknown', message: 'The campaign has no such recipient.' }];
  const { status, known, reached } = recipient;
  if (!(RETRIED as readonly string[]).includes(status)) {
    const message = `It is ${status}; only those who are ${RETRIED.join(' or ')} are sent to again.`;
    return [{ path, rule: 'status', allowed: RETRIED, message }];
  }
  if (!known)
    return [{ path, rule: 'gone', message: 'The contact or group is not there any more.' }];
  if (!reached) return [];
  const message =
    'They got it, or may yet: by another retry, or as another recipient of the campaign.';
  return [{ path, rule: 'reached', message }];
}

const recipients = (
  tx: Context,
  campaign: Campaign,
  which: string,
  wanted: readonly string[],
): Promise<Recipient[]> =>
  tx.sql.rows(
    `select r.id, r.status, r.contact_id, r.group_id, c.id is not null or g.id is not null as known,
       ${reachedByRetry('$2', theirs(campaign))} as reached
     from campaign_recipients r
     left join contacts c on c.organization_id = $1 and c.id = r.contact_id
     left join groups g on g.organization_id = $1 and g.id = r.group_id and g.number_id = $3
     where r.organization_id = $1 and r.campaign_id = $2 and ${which}
     order by r.id`,
    [tx.organizationId, campaign.id, campaign.numberId, wanted],
  );

const MAX_NAME = 80;

/** `Aviso`, `Aviso (2)`, `Aviso (3)`. */
function nextName(name: string): string {
  const [, stem = name, count = '1'] = /^(.*) \((\d{1,3})\)$/s.exec(name) ?? [];
  const suffix = ` (${Number(count) + 1})`;
  return [...stem].slice(0, MAX_NAME - suffix.length).join('') + suffix;
}

/** SQL: whether recipient `o` of any campaign is the same person or group as `r`. */
const theirs = ({ target }: Campaign): string =>
  target === 'groups' ? 'o.identity_key = r.group_id' : 'o.contact_id = r.contact_id';
