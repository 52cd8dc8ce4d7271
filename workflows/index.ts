export * from './campaigns.ts';
export * from './webhooks.ts';
