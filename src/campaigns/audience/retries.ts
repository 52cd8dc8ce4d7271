import { REACHED } from '../reached.ts';

// SQL about campaigns that retry others. `$1` is the workspace.

/** The campaigns that this one retries: its `retry_of`, the one which that retried, and so on. */
export const retriedBy = (campaign: string): string =>
  `array(with recursive retried as (
     select r.retry_of as id from campaigns r where r.organization_id = $1 and r.id = ${campaign}
     union select r.retry_of from retried join campaigns r on r.organization_id = $1 and r.id = retried.id)
   select id from retried where id is not null)`;

/** All campaigns of one chain of retries: the first, its retries, theirs, and the campaign itself. Each step by an index. */
const chainOf = (campaign: string): string =>
  `array(with recursive chain as (
     select k.id, k.retry_of from campaigns k where k.organization_id = $1 and k.id = ${campaign}
     union select r.id, r.retry_of from chain k cross join lateral (
       select u.id, u.retry_of from campaigns u where u.organization_id = $1 and u.id = k.retry_of
       union all select d.id, d.retry_of from campaigns d where d.organization_id = $1 and d.retry_of = k.id) r)
   select id from chain)`;

/**
 * Whether the chain of retries got recipients `o` their message, may have, or is about to. What the campaigns of the
 * array `asked` may have got them does not count: somebody asked for just these to be retried.
 */
const reachedInChain = (campaign: string, recipients: string, asked: string): string =>
  `exists (select from campaign_recipients o
     where o.organization_id = $1 and ${recipients} and o.campaign_id = any (${chainOf(campaign)})
       and (o.status in ('pending', 'sending', 'sent', 'delivered', 'read')
         or o.status = 'unconfirmed' and o.campaign_id <> all (${asked})))`;

/** For recipients of a campaign of whom a retry is to be written. */
export const reachedByRetry = (campaign: string, recipients: string): string =>
  reachedInChain(campaign, recipients, `array_append(${retriedBy(campaign)}, ${campaign})`);

/** For whom a retry was written, before it begins; false for a campaign that retries none. */
export const reachedMeanwhile = (campaign: string, recipients: string): string =>
  `case when (select k.retry_of from campaigns k where k.organization_id = $1 and k.id = ${campaign}) is null then false
     else ${reachedInChain(campaign, `o.campaign_id <> ${campaign} and ${recipients}`, retriedBy(campaign))} end`;

/**
 * For whom a retry is being sent: whether another campaign of the chain has got them their message after all.
 *
 * @param column the campaign's id of `o`; with `o.campaign_id || ''` no plan reads all recipients of the chain
 */
export const reachedSince = (campaign: string, recipients: string, column: string): string =>
  `exists (select from campaign_recipients o
     where o.organization_id = $1 and ${recipients} and ${column} <> ${campaign}
       and ${column} = any (${chainOf(campaign)}) and o.status in ${REACHED} offset 0)`;
