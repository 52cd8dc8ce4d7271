import { beforeEach, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { automationRoutes } from '../../src/automations/routes.ts';
import type { Context } from '../../src/context.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anActiveAutomation, anAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let key: string;

const door = opened(() => openDoor({ routes: automationRoutes({ trustedOrigins: [] }) }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { plan: 'essencial' }));
  ({ key } = await anApiKey(ctx, SCOPE_NAMES));
});

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.api.call(method, `/api/v1/automations${path}`, { key, body });
const activate = (id: string): Promise<Reply> => call('POST', `/${id}/activate`);
const deactivate = (id: string, body?: unknown): Promise<Reply> =>
  call('POST', `/${id}/deactivate`, body);

const outcome = ({ status, body }: Reply) => [status, body.status, body.version];

describe('deactivating', () => {
  it('turns it off and lets runs in progress finish', async () => {
    const { id } = await anActiveAutomation(ctx);
    const { id: contactId } = await aContact(ctx);
    const run = await aRun(ctx, { automationId: id, contactId });

    expect(outcome(await deactivate(id))).toEqual([200, 'inactive', 1]);

    expect(await rowsOf(ctx, 'select status from automation_runs where id = $1', [run])).toEqual([
      { status: 'waiting' },
    ]);
    expect(outcome(await deactivate(id, { in_progress: 'finish' }))).toEqual([200, 'inactive', 1]);
  });

  it('refuses a draft: it was never on', async () => {
    const { id } = await anAutomation(ctx);

    for (const body of [undefined, {}, { in_progress: 'cancel' }]) {
      const reply = await deactivate(id, body);
      expect(reply.status).toBe(409);
      expect(reply.body.error).toMatchObject({
        code: 'invalid_state',
        details: { status: 'draft', allowed: ['active', 'inactive'] },
      });
    }
  });

  it('refuses another word for what happens to the runs', async () => {
    const { id } = await anActiveAutomation(ctx);

    const reply = await deactivate(id, { in_progress: 'kill' });

    expect(reply.body.error.details).toMatchObject([{ path: 'in_progress', rule: 'enum' }]);
    expect((await call('GET', `/${id}`)).body.status).toBe('active');
  });

  it('frees a place of the plan', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push((await anAutomation(ctx, { name: `A${n}` })).id);
    for (const id of ids.slice(0, 5)) await activate(id);
    const last = ids[5] ?? '';
    expect((await activate(last)).status).toBe(409);

    await deactivate(ids[0] ?? '');

    expect((await activate(last)).status).toBe(200);
  });
});
