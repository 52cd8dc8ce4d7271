import { describe, expect, it } from '@jest/globals';
import { anActiveAutomation, anAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import type { Reply } from '../support/http.ts';
import { rowsOf } from '../support/rows-of.ts';
import { ownWorkspace } from './support/own-workspace.ts';

const { own, call } = ownWorkspace();
const activate = (id: string): Promise<Reply> => call('POST', `/${id}/activate`);
const deactivate = (id: string, body?: unknown): Promise<Reply> =>
  call('POST', `/${id}/deactivate`, body);

const outcome = ({ status, body }: Reply) => [status, body.status, body.version];

describe('deactivating', () => {
  it('turns it off and lets runs in progress finish', async () => {
    const { id } = await anActiveAutomation(own.ctx);
    const { id: contactId } = await aContact(own.ctx);
    const run = await aRun(own.ctx, { automationId: id, contactId });

    expect(outcome(await deactivate(id))).toEqual([200, 'inactive', 1]);

    expect(
      await rowsOf(own.ctx, 'select status from automation_runs where id = $1', [run]),
    ).toEqual([{ status: 'waiting' }]);
    expect(outcome(await deactivate(id, { in_progress: 'finish' }))).toEqual([200, 'inactive', 1]);
  });

  it('refuses a draft: it was never on', async () => {
    const { id } = await anAutomation(own.ctx);

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
    const { id } = await anActiveAutomation(own.ctx);

    const reply = await deactivate(id, { in_progress: 'kill' });

    expect(reply.body.error.details).toMatchObject([{ path: 'in_progress', rule: 'enum' }]);
    expect((await call('GET', `/${id}`)).body.status).toBe('active');
  });

  it('frees a place of the plan', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push((await anAutomation(own.ctx, { name: `A${n}` })).id);
    for (const id of ids.slice(0, 5)) await activate(id);
    const last = ids[5] ?? '';
    expect((await activate(last)).status).toBe(409);

    await deactivate(ids[0] ?? '');

    expect((await activate(last)).status).toBe(200);
  });
});
