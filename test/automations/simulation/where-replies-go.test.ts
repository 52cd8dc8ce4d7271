import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transact } from '../../../src/db/transact.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aMember, memberActor } from '../../support/members.ts';
import { end, openSimulating, type Simulating, say } from './support/simulating.ts';

let open: Simulating;
beforeAll(async () => {
  open = await openSimulating();
  await rows('update numbers set window_24h = false where organization_id = $1');
});
afterAll(() => open.close());

const rows = (text: string, ...params: unknown[]): Promise<unknown> =>
  transact(open.ctx, ({ sql, organizationId }) => sql.rows(text, [organizationId, ...params]));

/** What becomes of a question that a tag sets off, for which no number is named. */
async function branchOfReply(ctx = open.ctx): Promise<string | null | undefined> {
  const id = await open.draft(
    [
      say('hello', 'Quer ver?', 'hear'),
      { id: 'hear', type: 'wait_for_reply', timeout: 'P1D', next: 'end', on_timeout: 'end' },
      end,
    ],
    { type: 'tag_added', tags: ['vip'] },
  );
  const seen = await open.simulate(id, { replies: [{ after: 'PT5M', text: 'sim' }] }, ctx);
  expect(seen.unheard_replies).toBe(0);
  return seen.steps.find(({ step_id }) => step_id === 'hear')?.branch;
}

describe('a simulated reply goes to the number on which the person was written to', () => {
  it('although who simulates sees only another one', async () => {
    const { teamIds } = await aMember(open.ctx, { teams: ['Filial'] });
    const { id } = await aNumber(open.ctx);
    await rows('insert into number_teams values ($1, $2, $3)', id, teamIds[0]);
    const actor = { ...memberActor({ console: true }), visibility: 'teams', teamIds } as const;

    expect(await branchOfReply({ ...open.ctx, actor })).toBe('next');
  });

  it('although an older one is connected no more', async () => {
    await aNumber(open.ctx);
    await rows(
      `update numbers set status = 'disconnected'
       where organization_id = $1 and id = (select min(id) from numbers where organization_id = $1)`,
    );

    expect(await branchOfReply()).toBe('next');
  });
});
