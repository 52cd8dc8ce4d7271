import type { Sql } from '../db/sql.ts';
import { type Exclusion, WINDOW_MARGIN_MS } from './rules.ts';
import { render } from './variables.ts';

/** A person of the audience as the freezing sees them; null fields for a contact that is gone. */
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
}

/** What decides who gets the message, and how it reads. */
export interface Offer {
  readonly text: string;
  readonly numberId: string | null;
  /** The number may write first only inside the 24-hour window. */
  readonly window24h: boolean;
  readonly now: Date;
}

export interface AudienceCounts {
  readonly total: number;
  readonly excluded: Partial<Record<Exclusion, number>>;
}

export type Assessment =
  | { readonly excluded: Exclusion }
  | {
      readonly excluded: null;
      readonly contactId: string;
      readonly phone: string;
      readonly key: string;
      readonly text: string;
    };

const E164 = /^\+[1-9]\d{6,14}$/;

/** Whether the person gets the message, and its text for them (design decisions §7). */
export function assess(person: Candidate, offer: Offer): Assessment {
  const excluded = exclusionOf(person, offer);
  if (excluded) return { excluded };
  const text = render(offer.text, { name: person.name ?? '', custom: person.custom ?? {} });
  if (text === null) return { excluded: 'missing_variable' };
  const phone = person.phone ?? '';
  return {
    excluded: null,
    contactId: person.contact_id,
    phone,
    key: person.phone_key ?? phone,
    text,
  };
}

function exclusionOf(person: Candidate, offer: Offer): Exclusion | null {
  if (person.opted_out) return 'opted_out';
  if (person.blocked) return 'blocked';
  if (!person.phone) return 'no_phone';
  if (!E164.test(person.phone)) return 'invalid_phone';
  if (person.whatsapp_status === 'invalid') return 'no_whatsapp';
  if (offer.window24h && !insideWindow(person.window_expires_at, offer.now)) return 'out_of_window';
  return null;
}

const insideWindow = (expiresAt: Date | null, now: Date): boolean =>
  expiresAt !== null && expiresAt.getTime() - now.getTime() > WINDOW_MARGIN_MS;

/** The contacts with these ids, in this order. */
export const candidates = (
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
  numberId: string | null,
): Promise<Candidate[]> =>
  sql.rows(
    `select i.id as contact_id, c.phone, c.phone_key, c.name, c.custom, c.opted_out, c.blocked,
       c.whatsapp_status, v.window_expires_at
     from unnest($2::text[]) with ordinality i (id, n)
     left join contacts c on c.organization_id = $1 and c.id = i.id
     left join conversations v on v.organization_id = $1 and v.number_id = $3 and v.contact_id = c.id
     order by i.n`,
    [organizationId, contactIds, numberId],
    'campaign-candidates',
  );

/** One more of each in a tally of reasons. */
export function tally(
  counts: Readonly<Partial<Record<Exclusion, number>>>,
  more: readonly Exclusion[],
): Partial<Record<Exclusion, number>> {
  const sums = { ...counts };
  for (const reason of more) sums[reason] = (sums[reason] ?? 0) + 1;
  return sums;
}

const PAGE = 1_000;

/** Who would get it if it began now, without writing anything down. */
export async function estimateAudience(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
  offer: Offer,
): Promise<AudienceCounts> {
  const seen = new Set<string>();
  let excluded: Partial<Record<Exclusion, number>> = {};
  for (let from = 0; from < contactIds.length; from += PAGE) {
    const page = contactIds.slice(from, from + PAGE);
    const people = await candidates(sql, organizationId, page, offer.numberId);
    const reasons = people.flatMap((person) => {
      const found = assess(person, offer);
      if (found.excluded) return [found.excluded];
      if (seen.has(found.key)) return ['duplicate' as const];
      seen.add(found.key);
      return [];
    });
    excluded = tally(excluded, reasons);
  }
  return { total: contactIds.length, excluded };
}
