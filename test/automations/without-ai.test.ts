import { afterAll, afterEach, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { automationRoutes } from '../../src/automations/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

const doors: OpenDoor[] = [];
const close = async (): Promise<void> => {
  for (const door of doors.splice(0)) await door.close();
};
afterEach(close);
afterAll(close);

/** Activates a draft whose first step is the model's. */
async function activated(ai: boolean) {
  const door = await openDoor({ routes: automationRoutes({ trustedOrigins: [], ai }) });
  doors.push(door);
  const { ctx } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx, SCOPE_NAMES);
  const steps = [
    { id: 'talk', type: 'ai_reply' as const, goal: 'Sell a cake.', next: 'end' },
    { id: 'end', type: 'end' as const },
  ];
  const { id } = await anAutomation(ctx, { steps });
  return door.api.call('POST', `/api/v1/automations/${id}/activate`, { key });
}

it('warns of steps for an AI where none is configured, and lets them be activated', async () => {
  const { status, body } = await activated(false);

  expect([status, body.status]).toEqual([200, 'active']);
  expect(body.issues).toEqual([
    {
      step_id: 'talk',
      code: 'ai_not_configured',
      message: expect.stringMatching(/./),
      severity: 'warning',
      path: null,
    },
  ]);
});

it('says nothing of them where one is', async () => {
  expect((await activated(true)).body.issues).toEqual([]);
});
