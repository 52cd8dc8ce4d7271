import { type Database, inWorkspace } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { type Assessment, assess, candidates, tally } from './audience.ts';
import type { Exclusion } from './rules.ts';

export interface CampaignRef {
  readonly organizationId: string;
  readonly campaignId: string;
}

const PAGE = 500;

interface Unfrozen {
  readonly number_id: string | null;
  readonly text: string;
  readonly window_24h: boolean | null;
  readonly total: number;
  readonly size: number;
  readonly excluded: Partial<Record<Exclusion, number>>;
  readonly page: string[];
}

/**
 * Writes down who gets the campaign, page by page, each page in one transaction with the count of how
 * far it came: repeated or resumed after a crash it goes on, and nobody is written twice.
 *
 * @returns whether everybody is written down; false when the campaign stopped, or time is up.
 */
export async function freezeAudience(
  database: Pick<Database, 'app'>,
  { organizationId, campaignId }: CampaignRef,
  control: { now: () => Date; mayGoOn: () => boolean },
): Promise<boolean> {
  while (control.mayGoOn()) {
    const step = await inWorkspace(database, organizationId, (sql) =>
      freezePage(sql, { organizationId, campaignId }, control.now()),
    );
    if (step !== 'more') return step === 'frozen';
  }
  return false;
}

async function freezePage(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
  now: Date,
): Promise<'more' | 'frozen' | 'stopped'> {
  const campaign = await first<Unfrozen & { frozen_at: Date | null; status: string }>(
    sql,
    `select c.status, c.frozen_at, c.number_id, c.text, n.window_24h, c.total, c.excluded,
       cardinality(c.contact_ids) as size, c.contact_ids[c.total + 1 : c.total + $3] as page
     from campaigns c left join numbers n on n.organization_id = c.organization_id and n.id = c.number_id
     where c.organization_id = $1 and c.id = $2 for update of c`,
    [organizationId, campaignId, PAGE],
  );
  if (campaign?.frozen_at) return 'frozen';
  if (campaign?.status !== 'sending') return 'stopped';
  const people = await candidates(sql, organizationId, campaign.page, campaign.number_id);
  const offer = {
    text: campaign.text,
    numberId: campaign.number_id,
    window24h: campaign.window_24h ?? false,
    now,
  };
  const assessed = people.map((person) => assess(person, offer));
  const duplicates = await insertRecipients(sql, { organizationId, campaignId }, assessed);
  const excluded = tally(campaign.excluded, [
    ...assessed.flatMap((found) => found.excluded ?? []),
    ...Array.from({ length: duplicates }, () => 'duplicate' as const),
  ]);
  const total = campaign.total + campaign.page.length;
  const frozen = total >= campaign.size;
  await sql.rows(
    `update campaigns set total = $3, excluded = $4, frozen_at = $5
     where organization_id = $1 and id = $2`,
    [organizationId, campaignId, total, JSON.stringify(excluded), frozen ? now : null],
  );
  return frozen ? 'frozen' : 'more';
}

/** @returns how many were somebody's second way in: two contacts with one phone get one message. */
async function insertRecipients(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
  assessed: readonly Assessment[],
): Promise<number> {
  const eligible = assessed.filter((found) => found.excluded === null);
  if (eligible.length === 0) return 0;
  const inserted = await sql.rows(
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     on conflict (organization_id, campaign_id, identity_key) do nothing returning id`,
    [
      organizationId,
      campaignId,
      eligible.map(() => newId('rcp')),
      eligible.map((found) => found.key),
      eligible.map((found) => found.contactId),
      eligible.map((found) => found.phone),
      eligible.map((found) => found.text),
    ],
    'campaign-freeze',
  );
  return eligible.length - inserted.length;
}
