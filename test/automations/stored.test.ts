import { describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { ownWorkspace } from './support/own-workspace.ts';

const { own, call } = ownWorkspace();

/** An active automation whose draft has this at a place, as a version with other rules let it. */
async function stored(place: readonly string[], value: unknown): Promise<string> {
  const { id } = await anActiveAutomation(own.ctx);
  await transact(own.ctx, (tx) =>
    tx.sql.rows(
      `update automations set draft = jsonb_set(draft::jsonb, $2, $3)
       where organization_id = $4 and id = $1`,
      [id, place, JSON.stringify(value), own.ctx.organizationId],
    ),
  );
  return id;
}

describe('an automation that today could not be written so', () => {
  it.each([
    [
      'a phone that cannot be read',
      ['entry', 'conditions'],
      { field: 'phone', op: 'eq', value: '11 98765-4321' },
    ],
    [
      "an entry that asks for a step's output",
      ['entry', 'conditions'],
      { field: 'step.q.answer', op: 'neq', value: 'sim' },
    ],
    ['a variable with a brace too few', ['steps', '0', 'text'], 'Oi {{first_name}!'],
    [
      'a trigger with no keyword',
      ['trigger'],
      { type: 'message_received', number_ids: [], match: 'equals', keywords: [] },
    ],
  ])('%s: is shown as it was given, renamed and turned off', async (_, place, value) => {
    const id = await stored(place, value);

    const shown = await call('GET', `/${id}`);
    expect(shown.status).toBe(200);
    expect(place.reduce((at, name) => at[name], shown.body)).toEqual(value);
    expect((await call('PATCH', `/${id}`, { name: 'Outro' })).status).toBe(200);
    const off = await call('POST', `/${id}/deactivate`);
    expect([off.status, off.body.status]).toEqual([200, 'inactive']);
  });

  it('shows the value of a field that came later', async () => {
    const id = await stored(['entry'], {});

    const { body } = await call('GET', `/${id}`);

    expect(body.entry).toMatchObject({ conditions: null, reentry: 'always', priority: 0 });
  });
});
