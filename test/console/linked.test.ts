import { describe, expect, it } from '@jest/globals';
import { consolePages } from '../../src/console/pages.ts';
import { pageTable } from '../../src/console/table.ts';
import { newId } from '../../src/ids.ts';
import * as starts from '../../src/relay/reactions.ts';

const workspace = 'org_1';
const endpointId = newId('whk');
const delivery = { deliveryId: newId('dlv'), endpointId, eventId: newId('evt'), attempts: 1 };

const aRun = starts.startRun(workspace, newId('run'), undefined, newId('atm'));

describe('what an operator finds in the Temporal UI', () => {
  it.each([
    ['a campaign', starts.startCampaign(workspace, newId('cmp')), '/campaigns/:id'],
    ['a reminder', starts.startReminder(workspace, newId('rem')), '/reminders/:id'],
    ['an import', starts.startImport(workspace, newId('imp')), '/contacts/imports/:id'],
    ['an automation', starts.startDeactivation(workspace, newId('atm')), '/automations/:id'],
    ['a run', aRun, '/automations/:id/runs/:part'],
    ['a backlog', starts.startDrain(workspace, endpointId), '/webhooks/:id'],
    ['a webhook', starts.startDelivery(workspace, delivery), '/webhooks/:id/deliveries/:part'],
  ])('%s leads to its page of the console', (_, { page }, path) => {
    expect(pageTable(consolePages)(`/${page}`)?.page.path).toBe(path);
  });
});
