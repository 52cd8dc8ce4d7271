/** The place in a conversation's page behind its newest message. */
export const NEWEST = 'newest';

/** Where a conversation's page is opened, below the workspace's address: its newest messages and what answers them in sight. */
export const atNewest = (conversation: string): string => `/inbox/${conversation}#${NEWEST}`;
