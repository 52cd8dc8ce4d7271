import { expect, it } from '@jest/globals';
import { clockStarts } from '../../../src/automations/clock/sweeping.ts';
import { type ContextFor, createContext } from '../../../src/db/contexts.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { type SweepPosition, sweep } from '../../../src/db/sweeping.ts';
import { createLog } from '../../../src/log.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const BEGIN = Date.parse('2026-11-20T13:00:00Z');
const SLOW_MS = 35_000;

const database = opened(openOwnDatabase);

const aWorkspaceWith = async (automations: number): Promise<string> => {
  const { ctx } = await aWorkspace(database, { now: new Date(BEGIN) });
  for (let n = 0; n < automations; n += 1) {
    const name = `Silêncio ${n}`;
    const steps = [{ id: 'end', type: 'end' }];
    await anActiveAutomation(ctx, { name, trigger: { type: 'no_reply', after: 'PT1H' }, steps });
  }
  return ctx.organizationId;
};

const seenIn = (organizationId: string): Promise<{ seen: Date }[]> =>
  inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ seen: Date }>('select seen_until as seen from automation_clocks'),
  );

it('looks that take more than a minute in all hold up neither the others of their workspace nor other workspaces', async () => {
  const workspaces = [await aWorkspaceWith(3), await aWorkspaceWith(1), await aWorkspaceWith(3)];
  let now = BEGIN + 5 * 60_000;
  let slow = SLOW_MS;
  let looks = 0;
  const contextFor: ContextFor = (organizationId, actor) => {
    now += slow;
    looks += 1;
    const input = { organizationId, actor, now: new Date(now) };
    return createContext({ database, wake: () => {} }, input);
  };
  const starts = clockStarts(database, contextFor, createLog({ level: 'silent', format: 'json' }));
  const failed = (_: string, error: unknown): never => {
    throw error;
  };

  let position: SweepPosition = { after: '', done: 0 };
  while (looks < 12) {
    const control = { mayGoOn: () => looks < 12, failed, now: () => now };
    ({ position } = await sweep(starts, position, control));
  }

  const clocks = (await Promise.all(workspaces.map(seenIn))).flat();
  expect(clocks).toHaveLength(7);
  const earliest = Math.min(...clocks.map(({ seen }) => seen.getTime()));
  expect(earliest).toBeGreaterThan(BEGIN);

  slow = 0;
  for (let finished = false; !finished; )
    ({ position, finished } = await sweep(starts, position, {
      mayGoOn: () => true,
      failed,
      now: () => now,
    }));
  const seen = (await Promise.all(workspaces.map(seenIn)))
    .flat()
    .map((clock) => clock.seen.getTime());
  expect(new Set(seen)).toEqual(new Set([Math.floor(now / 60_000) * 60_000]));
});
