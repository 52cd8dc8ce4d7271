import { insideWindow } from '../../conversations/rules.ts';
import { render } from '../../conversations/sending/personal-text.ts';
import type { Bind, Sql } from '../../db/sql.ts';
import { DAY_MS } from '../../durations.ts';
import { countedBefore, KNOWN } from '../limits/day-limits.ts';
import type { FrequencyCap } from '../limits/guards.ts';
import type { Exclusion } from '../rules.ts';
import { reachedMeanwhile, retriedBy } from './retries.ts';

/** A person in the audience, with what decides about them; fields are null for a deleted contact. */
export interface Candidate {
  readonly contact_id: string;
  readonly phone: string | null;
  readonly phone_key: string | null;
  readonly name: string | null;
  readonly custom: Readonly<Record<string, unknown>> | null;
  readonly opted_out: boolean | null;
  readonly blocked: boolean | null;
  readonly whatsapp_status: string | null;
  readonly window_expires_at: Date | null;
  /** How many campaigns reached the person lately, or are about to; 0 without a frequency cap. */
  readonly campaigns: number;
  /** Whether they got the campaign that this one retries, or another retry of it, or may yet. */
  readonly reached: boolean;
  /** Whether the person is not new to the number: they have exchanged messages, or a campaign counted them before. */
  readonly known: boolean;
}

/** A group in the audience; the name is null for a deleted one. */
export interface GroupCandidate {
  readonly group_id: string;
  readonly name: string | null;
  readonly left_at: Date | null;
  /** Whether it got the campaign that this one retries, or another retry of it, or may yet. */
  readonly reached: boolean;
}

/** What decides who gets the message, and what it says. */
export interface Offer {
  readonly text: string;
  readonly numberId: string | null;
  /** Whether the number may write first only within the 24-hour window. */
  readonly window24h: boolean;
  readonly cap: FrequencyCap | null;
  /** The campaign itself, which does not count towards its own cap. */
  readonly campaignId: string;
  readonly now: Date;
}

export interface AudienceCounts {
  readonly total: number;
  readonly excluded: Partial<Record<Exclusion, number>>;
}

/** The contact or the group. */
interface Whom {
  readonly contactId: string | null;
  readonly groupId: string | null;
  readonly name: string;
  /** "" if there is none. */
  readonly phone: string;
}

export type Assessment = Whom &
  (
    | { readonly excluded: Exclusion }
    | {
        readonly excluded: null;
        /** The identity that receives the message: contacts sharing one get a single message. */
        readonly key: string;
        readonly text: string;
        readonly known: boolean;
      }
  );

/** A number that E.164 allows, in the syntax of PostgreSQL's regular expressions. */
export const E164 = '^\\+[1-9][0-9]{6,14}$';
const PHONE = new RegExp(E164);

/** Whether the person gets the message, and its text for them (design decisions §7). */
export function assess(person: Candidate, offer: Offer): Assessment {
  const phone = person.phone ?? '';
  const whom = { contactId: person.contact_id, groupId: null, name: person.name ?? '', phone };
  const excluded = exclusionOf(person, offer);
  if (excluded) return { ...whom, excluded };
  const text = render(offer.text, { name: whom.name, custom: person.custom ?? {} });
  if (text === null) return { ...whom, excluded: 'missing_variable' };
  if (person.reached) return { ...whom, excluded: 'duplicate' };
  if (offer.cap && person.campaigns >= offer.cap.messages) {
    return { ...whom, excluded: 'frequency_cap' };
  }
  return { ...whom, excluded: null, key: person.phone_key ?? phone, text, known: person.known };
}

function exclusionOf(person: Candidate, offer: Offer): Exclusion | null {
  if (person.opted_out) return 'opted_out';
  if (person.blocked) return 'blocked';
  if (!person.phone) return 'no_phone';
  if (!PHONE.test(person.phone)) return 'invalid_phone';
  if (person.whatsapp_status === 'invalid') return 'no_whatsapp';
  if (offer.window24h && !insideWindow(person.window_expires_at, offer.now)) return 'out_of_window';
  return null;
}

/** A group gets it while the number is in it; groups have no window. */
export function assessGroup(group: GroupCandidate, offer: Pick<Offer, 'text'>): Assessment {
  const whom = { contactId: null, groupId: group.group_id, name: group.name ?? '', phone: '' };
  if (group.name === null || group.left_at) return { ...whom, excluded: 'left_group' };
  const text = render(offer.text, { name: group.name, custom: {} });
  if (text === null) return { ...whom, excluded: 'missing_variable' };
  if (group.reached) return { ...whom, excluded: 'duplicate' };
  return { ...whom, excluded: null, key: group.group_id, text, known: true };
}

/** The start of the cap's period. */
const since = ({ days }: FrequencyCap, now: Date): Date => new Date(now.getTime() - days * DAY_MS);

/**
 * SQL: how many other campaigns have reached contact `c` since then, may have, or are about to. `$1` is the
 * workspace. People waiting in a paused campaign do not count, because it is unknown whether it will go on. What a
 * person may not have got does not count against its own retry, which somebody asked for.
 */
const campaignsOf = (from: string, campaign: string): string =>
  `(select count(*) from campaign_recipients o where o.organization_id = $1 and o.contact_id = c.id
     and o.campaign_id <> ${campaign}
     and not (o.status = 'unconfirmed' and o.campaign_id = any (${retriedBy(campaign)}))
     and (o.status in ('sent', 'delivered', 'read', 'unconfirmed') and o.claimed_at >= ${from}::timestamptz
       or o.status = 'sending'
       or o.status = 'pending' and exists (select from campaigns p
         where p.organization_id = $1 and p.id = o.campaign_id and p.status = 'sending')))`;

/** SQL: whether the cap excludes contact `c`; null without a cap. */
export const cappedSql = ({ cap, campaignId, now }: Offer, bind: Bind): string | null =>
  cap && `${campaignsOf(bind(since(cap, now)), bind(campaignId))} >= ${bind(cap.messages)}::int`;

/** The contacts with these ids, in this order. */
export function candidates(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
  { numberId, cap, campaignId, now }: Pick<Offer, 'numberId' | 'cap' | 'campaignId' | 'now'>,
): Promise<Candidate[]> {
  return sql.rows(
    `select i.id as contact_id, c.phone, c.phone_key, c.name, c.custom, c.opted_out, c.blocked,
       c.whatsapp_status, v.window_expires_at, ${KNOWN} or ${countedBefore('$3', 'i.id')} as known,
       ${reachedMeanwhile('$5', 'o.contact_id = i.id')} as reached,
       case when $4::timestamptz is null then 0 else ${campaignsOf('$4', '$5')} end as campaigns
     from unnest($2::text[]) with ordinality i (id, n)
     left join lateral (
       select * from contacts c where c.organization_id = $1 and c.id = i.id offset 0) c on true
     left join lateral (
       select * from conversations v
       where v.organization_id = $1 and v.number_id = $3 and v.contact_id = c.id offset 0) v on true
     order by i.n`,
    [organizationId, contactIds, numberId, cap && since(cap, now), campaignId],
    'campaign-candidates',
  );
}

/** The groups with these ids, in this order. */
export const groupCandidates = (
  sql: Sql,
  organizationId: string,
  groupIds: readonly string[],
  campaignId: string,
): Promise<GroupCandidate[]> =>
  sql.rows(
    `select i.id as group_id, g.name, g.left_at, ${reachedMeanwhile('$3', 'o.identity_key = i.id')} as reached
     from unnest($2::text[]) with ordinality i (id, n)
     left join groups g on g.organization_id = $1 and g.id = i.id order by i.n`,
    [organizationId, groupIds, campaignId],
  );

/** Counts one more of each reason. */
export function tally(
  counts: Readonly<Partial<Record<Exclusion, number>>>,
  more: readonly Exclusion[],
): Partial<Record<Exclusion, number>> {
  const sums = { ...counts };
  for (const reason of more) sums[reason] = (sums[reason] ?? 0) + 1;
  return sums;
}
