export * from './automations.ts';
export * from './campaigns.ts';
export * from './contacts.ts';
export * from './reminders.ts';
export * from './sweeps.ts';
export * from './upkeep.ts';
export * from './webhooks.ts';
