import { describe, expect, it } from '@jest/globals';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { ownWorkspace } from './support/own-workspace.ts';

const { own, call } = ownWorkspace();
const activate = (id: string, as?: string): Promise<Reply> =>
  call('POST', `/${id}/activate`, undefined, as);
const outcome = ({ status, body }: Reply) => [status, body.status, body.version];

describe('activating', () => {
  it('is for those who see the whole workspace: its runs act on what anybody writes', async () => {
    const narrow = { role: 'admin', visibility: 'assigned' } as const;
    const { token } = await aMember(own.ctx, narrow);
    const steps = [{ id: 'end', type: 'end' }];
    const draft = { name: 'Lê junto', trigger: { type: 'message_received' }, steps };
    const { body: made } = await call('POST', '', draft, token);
    const refused = [403, { automation_id: made.id, visibility: 'assigned' }];
    const tried = async () => {
      const { status, body } = await activate(made.id, token);
      return [status, body.error?.details ?? null];
    };

    expect(await tried()).toEqual(refused);
    expect(outcome(await call('GET', `/${made.id}`, undefined, token))).toEqual([200, 'draft', 0]);
    expect(outcome(await activate(made.id))).toEqual([200, 'active', 1]);
    const change = { entry: { skip_if_handled_by_member: false } };
    expect((await call('PATCH', `/${made.id}`, change, token)).status).toBe(200);
    expect(await tried()).toEqual(refused);
    expect((await call('POST', `/${made.id}/deactivate`, undefined, token)).status).toBe(200);
  });
});
