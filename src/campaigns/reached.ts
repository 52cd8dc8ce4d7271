/** SQL: the statuses of recipients whose message WhatsApp took. */
export const REACHED = "('sent', 'delivered', 'read')";

/**
 * SQL: whether recipient `r` got the campaign within the week before a moment, by which what a person does is an answer
 * to it. A few seconds are allowed for timestamps in whole seconds and for settling.
 */
export const reachedBefore = (at: string): string =>
  `r.status in ${REACHED}
   and r.settled_at > ${at} - interval '7 days' and r.settled_at <= ${at} + interval '10 seconds'`;

/**
 * SQL: how many people opted out after this campaign, the last that reached them. Asked of those who opted out
 * meanwhile, a list that is read once: a join reads every contact for each recipient.
 *
 * @param first when it reached the first of its people, and `last` when the last
 */
export const optedOutAfter = (
  campaign: string,
  { first, last }: { readonly first: string; readonly last: string },
): string => `(select count(*)::int from contacts p
  where p.organization_id = $1 and p.opted_out
    and p.opted_out_at >= ${first} - interval '10 seconds' and p.opted_out_at < ${last} + interval '7 days'
    and (select r.campaign_id from campaign_recipients r
      where r.organization_id = $1 and r.contact_id = p.id and ${reachedBefore('p.opted_out_at')}
      order by r.settled_at desc limit 1) = ${campaign})`;
