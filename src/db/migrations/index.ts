import { Migration20261121_0001_workspaces } from './20261121_0001_workspaces.ts';
import { Migration20261121_0002_messaging } from './20261121_0002_messaging.ts';
import { Migration20261121_0003_facts_and_webhooks } from './20261121_0003_facts_and_webhooks.ts';
import { Migration20261121_0004_door } from './20261121_0004_door.ts';

/** In the order they run. Forward only: a released one is never edited. */
export const migrations = [
  { name: '20261121_0001_workspaces', class: Migration20261121_0001_workspaces },
  { name: '20261121_0002_messaging', class: Migration20261121_0002_messaging },
  { name: '20261121_0003_facts_and_webhooks', class: Migration20261121_0003_facts_and_webhooks },
  { name: '20261121_0004_door', class: Migration20261121_0004_door },
];
