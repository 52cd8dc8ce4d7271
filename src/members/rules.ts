/** `suspended` and `invited` people cannot sign in. */
export const MEMBER_STATUSES = ['invited', 'active', 'suspended'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** A person who does not say again within this time that they are there counts as away. */
export const PRESENCE_MS = 2 * 60_000;
