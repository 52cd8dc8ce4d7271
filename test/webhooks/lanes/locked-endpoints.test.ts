import { expect, it } from '@jest/globals';
import { asSystem, sqlOver } from '../../../src/db/database.ts';
import { startFreeDrains, startStrays } from '../../../src/webhooks/lanes/backlog/drains.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { recordStreaks } from '../../../src/webhooks/lanes/first-attempts/recording.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const database = opened(openOwnDatabase);

/** Endpoints that fail, each with a backlog nobody drains. */
async function someEndpoints(): Promise<string[]> {
  // Of the tests before.
  await startStrays(sqlOver(database.system));
  const { ctx, workspaceId } = await aWorkspace(database, { plan: 'escala' });
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1)
    ids.push((await anEndpoint(ctx, `https://hooks.example.com/${n}`)).id);
  const sql = sqlOver(database.system);
  await sql.rows('update webhook_endpoints set failures_in_row = 5 where id = any($1)', [ids]);
  await sentEvents(database, workspaceId);
  await fanOut(sql, { token: 'nobody', full: ids, resting: ids }, 100);
  return ids.toSorted();
}

/** Returns those that are left, as far as it says so. */
type Change = (ids: readonly string[]) => Promise<readonly string[] | number>;
const count: Change = async (ids) => {
  const streaks = ids.map((endpointId) => ({ endpointId, reset: false, failures: 1 }));
  const left = await recordStreaks(sqlOver(database.system), streaks);
  return left.map(({ endpointId }) => endpointId);
};
const start: Change = async (ids) => {
  const parked = ids.map((endpointId) => ({ endpointId, due: null }));
  const { left } = await startFreeDrains(sqlOver(database.system), parked);
  return left.map(({ endpointId }) => endpointId);
};
const find: Change = () => startStrays(sqlOver(database.system));

it.each([
  ['counting failures', count, (id: string): unknown => [id], 'failures_in_row > 5'],
  ['starting drains', start, (id: string): unknown => [id], 'drain_at is not null'],
  ['finding backlogs that no one drains', find, (): unknown => 3, 'drain_at is not null'],
] as const)(
  '%s passes over an endpoint that somebody has locked, and comes back to it',
  async (_, change, left, changed) => {
    const ids = await someEndpoints();
    const [locked = '', ...others] = ids;
    const done = async (): Promise<string[]> => {
      const rows = await sqlOver(database.system).rows<{ id: string }>(
        `select id from webhook_endpoints where id = any($1) and ${changed} order by id`,
        [ids],
      );
      return rows.map(({ id }) => id);
    };

    const said = await asSystem(database, async (sql) => {
      await sql.rows('select from webhook_endpoints where id = $1 for update', [locked]);
      return change(ids);
    });

    expect(said).toEqual(left(locked));
    expect(await done()).toEqual(others);
    await change([locked]);
    expect(await done()).toEqual(ids);
  },
);
