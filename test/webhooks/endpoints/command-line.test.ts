import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { newId } from '../../../src/ids.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';
import { startReceiver } from '../../support/receiver.ts';
import { runRelay } from '../../support/relay.ts';
import { openShell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';
import { asOwner } from '../events/support/refusing.ts';

const shell = opened(openShell);
/** The shell's workspace and another one, each as its owner. */
let here: Context;
let there: Context;
let mine: string;
let theirs: string;

beforeEach(async () => {
  await wms('resume');
  [here, there] = [
    owned(await aWorkspace(shell.database)),
    owned(await aWorkspace(shell.database)),
  ];
  mine = (await anEndpoint(here, 'http://127.0.0.1:9/in')).id;
  theirs = (await anEndpoint(there, 'http://127.0.0.1:9/in')).id;
});

const owned = ({ ctx }: { readonly ctx: Context }): Context => ({
  ...ctx,
  actor: {
    type: 'service_account',
    id: newId('sva'),
    name: 'ERP',
    credentialId: newId('key'),
    scopes: new Set(),
  },
});
const wms = (...args: string[]) => shell.wmsAnywhere('webhook', ...args);
const text = async ({ organizationId }: Context, query: string, id = ''): Promise<string> => {
  const rows = await inWorkspace(shell.database, organizationId, (sql) =>
    sql.rows<{ said: string }>(query, [id]),
  );
  return rows[0]?.said ?? '';
};
const STATUS = 'select status as said from webhook_endpoints where id = $1';
const statuses = async (): Promise<string[]> => [
  await text(here, STATUS, mine),
  await text(there, STATUS, theirs),
];
const LAST = `select action || ' by ' || (actor ->> 'name') as said from audit_entries where $1 = '' order by seq desc limit 1`;
const lastEntry = (ctx: Context): Promise<string> => text(ctx, LAST);

describe('wms webhook', () => {
  it('pauses and resumes all endpoints, in the name of the command line', async () => {
    const paused = await wms('pause');
    const during = [await statuses(), await lastEntry(here)];
    const resumed = await wms('resume');

    expect(paused.out).toContain(`${mine} of ${here.organizationId} (Pedidos) is paused`);
    expect(paused.out).toMatch(/endpoints paused, 0 were so already\. .*: wms webhook resume\n$/);
    expect(during).toEqual([['paused', 'paused'], 'webhook.paused by wms command line']);
    expect(resumed.out).toContain(`${theirs} of ${there.organizationId} (Pedidos) is active`);
    expect([await statuses(), await lastEntry(there)]).toEqual([
      ['active', 'active'],
      'webhook.resumed by wms command line',
    ]);
  });

  it('lets nothing more begin once it has said that they are paused', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => sleep(100, { status: 200 });
    const { databaseUrl: url, database } = shell;
    const running = await runRelay({ url, database, trustedOrigins: [receiver.origin] });
    const { id } = await anEndpoint(here, `${receiver.origin}/in`);
    await sentEvents(database, here.organizationId, 250);
    await receiver.waitFor(8);

    await wms('pause', '--endpoint', id);
    const begun = receiver.received.length;
    const onTheirWay = 8;
    await eventually(() => running.relay.figures().inFlight === 0);

    expect(receiver.received.length).toBeLessThanOrEqual(begun + onTheirWay);
    await running.stop();
    await receiver.close();
  });

  it('pauses and resumes those of one workspace, or the one that is named', async () => {
    await wms('pause', '--workspace', there.organizationId);
    const one = await statuses();
    await wms('pause', '--endpoint', mine);
    const both = await statuses();
    const { json } = await wms('resume', '--endpoint', mine, '--json');

    expect([one, both]).toEqual([
      ['active', 'paused'],
      ['paused', 'paused'],
    ]);
    expect(json).toEqual({
      resumed: [{ workspace: here.organizationId, id: mine, name: 'Pedidos' }],
      left: 0,
      failed: [],
    });
    expect(await statuses()).toEqual(['active', 'paused']);
  });

  it('goes on after one that fails, says which it was, and exits with 1', async () => {
    await asOwner(
      shell.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by the test'; end $$;
       create trigger refused before update on webhook_endpoints for each row when (old.id = '${mine}') execute function refuse()`,
    );
    const words = await wms('pause');
    const after = await statuses();
    const { json } = await wms('pause', '--json');
    await asOwner(shell.databaseUrl, 'drop function refuse cascade');

    expect(words.code).toBe(1);
    expect(words.out).toContain(`(Pedidos) was not paused: refused by the test`);
    expect(after).toEqual(['active', 'paused']);
    expect(json).toMatchObject({
      paused: [],
      failed: [{ workspace: here.organizationId, id: mine, message: 'refused by the test' }],
    });
  });

  it('passes over one that is deleted meanwhile', async () => {
    const { id: gone } = await anEndpoint(here, 'http://127.0.0.1:9/gone');
    await asOwner(
      shell.databaseUrl,
      `create function forget() returns trigger language plpgsql as
         $$ begin update webhook_endpoints set deleted_at = now() where id = '${gone}'; return null; end $$;
       create trigger forgetting after update on webhook_endpoints for each row when (old.id = '${mine}') execute function forget()`,
    );

    const { code, json } = await wms('pause', '--workspace', here.organizationId, '--json');
    await asOwner(shell.databaseUrl, 'drop function forget cascade');

    const paused = [{ workspace: here.organizationId, id: mine, name: 'Pedidos' }];
    expect([code, json]).toEqual([0, { paused, already: 0, failed: [] }]);
  });

  it('leaves paused what its owner had paused, unless it is named', async () => {
    await pauseEndpoint(here, mine);
    const paused = await wms('pause', '--json');
    const resumed = await wms('resume', '--json');
    const left = await statuses();
    await wms('resume', '--endpoint', mine);

    expect(paused.json.already).toBe(1);
    expect(resumed.json.left).toBe(1);
    expect(left).toEqual(['paused', 'active']);
    expect(await statuses()).toEqual(['active', 'active']);
  });

  it('leaves paused what its owner paused meanwhile, once more or after a resume of their own', async () => {
    await wms('pause');
    await pauseEndpoint(here, mine);
    await resumeEndpoint(there, theirs);
    await pauseEndpoint(there, theirs);
    const entry = await lastEntry(here);

    await wms('resume');

    expect(await statuses()).toEqual(['paused', 'paused']);
    expect(entry).toBe('webhook.paused by ERP');
  });

  it('lists them, with who paused them and how many there are', async () => {
    await pauseEndpoint(here, mine);
    await wms('pause', '--endpoint', theirs);

    const all = await wms('list', '--json');
    const words = await wms('list', '--workspace', there.organizationId);

    expect(all.json).toEqual(
      expect.arrayContaining([
        {
          workspace: here.organizationId,
          id: mine,
          status: 'paused',
          paused_by_operator: false,
          failures_in_row: 0,
          name: 'Pedidos',
          url: 'http://127.0.0.1:9/in',
          trouble: null,
        },
        expect.objectContaining({ id: theirs, status: 'paused', paused_by_operator: true }),
      ]),
    );
    expect(words.out).toBe(
      `${there.organizationId}  ${theirs}  paused by an operator  Pedidos  http://127.0.0.1:9/in\n` +
        '1 endpoint, 1 paused (1 by an operator), 0 failing\n',
    );
  });

  it('refuses an endpoint and a workspace that do not exist', async () => {
    const unknown = newId('whk');
    const endpoint = await wms('pause', '--endpoint', unknown);
    const elsewhere = await wms('pause', '--endpoint', mine, '--workspace', there.organizationId);
    const workspace = await wms('resume', '--workspace', newId('org'));

    expect([endpoint.code, endpoint.err]).toEqual([1, `There is no endpoint ${unknown}.\n`]);
    expect([elsewhere.code, elsewhere.err]).toEqual([1, `There is no endpoint ${mine}.\n`]);
    expect(workspace.code).toBe(1);
    expect(await statuses()).toEqual(['active', 'active']);
  });
});
