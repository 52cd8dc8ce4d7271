/** `suspended` and `invited` people cannot sign in. */
export type MemberStatus = 'invited' | 'active' | 'suspended';
