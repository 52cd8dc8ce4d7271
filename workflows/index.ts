export * from './campaigns.ts';
export * from './upkeep.ts';
export * from './webhooks.ts';
