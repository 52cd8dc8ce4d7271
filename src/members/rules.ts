/** Roles of a member (specification; Agent is design decisions §17). */
export const ROLES = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Which conversations, numbers and groups a member sees. */
export const VISIBILITIES = ['workspace', 'teams', 'assigned'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export type MemberStatus = 'invited' | 'active' | 'suspended';

/** A Viewer holds no seat (specification). */
export const holdsSeat = (role: Role): boolean => role !== 'viewer';
