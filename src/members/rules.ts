/** `suspended` and `invited` people cannot sign in. */
export const MEMBER_STATUSES = ['invited', 'active', 'suspended'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** A person who does not renew their presence within this time counts as away. */
export const PRESENCE_MS = 2 * 60_000;
