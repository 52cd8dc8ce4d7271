import { expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { createSweep } from '../../src/relay/sweep.ts';
import { fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { openOwnDatabase } from '../support/database.ts';
import { anEndpoint, sentEvents } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

const OWN = 'own';
const OTHER = 'another';

/** A sweep that finds this process absent as well; who holds deliveries. */
async function aSweep() {
  const sql = sqlOver(database.system);
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/in');
  for (const token of [OWN, OTHER]) {
    await sentEvents(database, workspaceId);
    await fanOut(sql, { token, full: [] }, 10);
  }
  await sql.rows(
    "update webhook_deliveries set lease_until = now() + interval '100 seconds' where endpoint_id = $1",
    [id],
  );
  const nobody = async () => new Set<string>();
  const presenceCache = { sure: true, ask: nobody, lately: nobody };
  const sweep = createSweep({
    database,
    token: OWN,
    presenceCache,
    onWork: () => {},
    lane: { forgetChanged: async () => {} },
    outgoing: { held: () => [] },
    log: createLog({ level: 'silent', format: 'json' }),
  });
  const holders = async () => {
    const rows = await sql.rows<{ token: string }>(
      `select lease_token as token from webhook_deliveries
       where endpoint_id = $1 and lease_token is not null order by 1`,
      [id],
    );
    return rows.map(({ token }) => token);
  };
  return { sweep, holders };
}

it('What a process has in hand is given away when it is absent twice in a row: once may be its connection', async () => {
  const { sweep, holders } = await aSweep();

  await sweep();
  expect(await holders()).toEqual([OTHER, OWN]);
  await sweep();

  // Whoever sweeps is there, whatever the presenceCache says.
  expect(await holders()).toEqual([OWN]);
});
