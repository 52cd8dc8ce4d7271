import { beforeEach } from '@jest/globals';
import { automationRoutes } from '../../../src/automations/routes.ts';
import { type BehindDoor, workspaceBehind } from '../../support/api.ts';
import { openDoor, type Reply } from '../../support/http.ts';
import { opened } from '../../support/opened.ts';

/**
 * The API of automations, and each test's own workspace behind it: a plan has few automations.
 *
 * @returns `call` with paths below `/automations`
 */
export function ownWorkspace() {
  const door = opened(() => openDoor({ routes: automationRoutes({ trustedOrigins: [] }) }));
  const own = {} as BehindDoor;
  beforeEach(async () => {
    Object.assign(own, await workspaceBehind(door, { plan: 'essencial' }));
  });
  const call = (method: string, path: string, body?: unknown, as?: string): Promise<Reply> =>
    own.call(method, `/automations${path}`, body, as);
  return { door, own, call };
}
