/** `suspended` and `invited` people cannot sign in. */
export const MEMBER_STATUSES = ['invited', 'active', 'suspended'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** A person who does not renew their presence within this time counts as away: browsers let a hidden page ask once a minute. */
export const PRESENCE_MS = 3 * 60_000;
/** Using the console renews it at most this often. */
export const RENEW_MS = 60_000;
