import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { asSystem } from '../../../src/db/database.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { openListener } from '../../../src/webhooks/listeners/service.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell } from '../../support/shell.ts';
import { BLOCKED, FAILED } from '../support/ended.ts';

const shell = opened(openShell);
let here: Context;
let there: Context;
let mine: string;
let theirs: string;

beforeEach(async () => {
  ({ ctx: here } = await aWorkspace(shell.database));
  ({ ctx: there } = await aWorkspace(shell.database));
  mine = (await anEndpoint(here, 'http://127.0.0.1:9/in')).id;
  theirs = (await anEndpoint(there, 'http://127.0.0.1:9/in')).id;
});

const wms = (...args: string[]) => shell.wmsAnywhere('webhook', ...args);
const change = (what: string): Promise<unknown> =>
  rowsOf(here, `update webhook_endpoints set ${what} where id = $1`, [mine]);

/** So many events reach each endpoint, and then as `set` says. */
async function delivered(count: number, set: string): Promise<void> {
  for (const { organizationId } of [here, there])
    await sentEvents(shell.database, organizationId, count);
  await asSystem(shell.database, (sql) =>
    fanOut(sql, { token: 'tests', full: [mine, theirs] }, 10),
  );
  for (const ctx of [here, there]) await rowsOf(ctx, `update webhook_deliveries set ${set}`);
}

const stands = async (ctx: Context): Promise<string[]> =>
  (await rowsOf<{ status: string }>(ctx, 'select status from webhook_deliveries')).map(
    ({ status }) => status,
  );

describe('wms webhook list', () => {
  it('says of those that fail all the time how often they did', async () => {
    const fail = (n: number) => change(`failures_in_row = ${n}`);
    const list = () => wms('list', '--endpoint', mine);
    await fail(4);
    const now = await list();
    await fail(37);
    const { out } = await list();

    expect(now.out).toContain(`${mine}  active  Pedidos`);
    expect(out).toContain(`${mine}  failing, 37 times in a row  Pedidos`);
    expect(out).toContain('1 endpoint, 0 paused (0 by an operator), 1 failing\n');
  });

  it('says of those that get nothing for another reason which that is', async () => {
    await delivered(1, BLOCKED);

    const { out } = await wms('list', '--workspace', here.organizationId);
    const { json } = await wms('list', '--endpoint', mine, '--json');

    expect(out).toContain(
      `${mine}  blocked: its address leads nowhere, or may not be called  Pedidos`,
    );
    expect(out).toContain('1 endpoint, 0 paused (0 by an operator), 1 failing\n');
    expect(json).toMatchObject([{ id: mine, trouble: 'blocked', failures_in_row: 0 }]);
  });

  it('counts none as failing that an operator holds in part', async () => {
    await delivered(1, "status = 'held', in_backlog = true");
    await change('backlog_held_at = now()');

    const { out } = await wms('list', '--endpoint', mine);

    expect(out).toContain(`${mine}  partly held: wms webhook resume --endpoint  Pedidos`);
    expect(out).toContain('(0 by an operator), 0 failing, 1 receiving nothing or not all\n');
  });
});

describe('wms webhook resend', () => {
  it('sends again what failed, of those that are named', async () => {
    await delivered(2, FAILED);
    const all = await wms('resend');
    const { json } = await wms('resend', '--workspace', here.organizationId, '--json');

    expect([all.code, all.err]).toEqual([1, expect.stringContaining('Say whose: --workspace')]);
    expect(json.resent).toMatchObject([{ id: mine, resent: 2 }]);
    expect([await stands(here), await stands(there)]).toEqual([
      ['pending', 'pending'],
      ['failed', 'failed'],
    ]);
    const entries = await rowsOf(
      here,
      "select action, actor ->> 'name' as who from audit_entries order by seq desc limit 1",
    );
    expect(entries).toEqual([{ action: 'webhook.resent', who: 'wms command line' }]);
  });

  it('leaves a developer’s machine alone, unless it is named', async () => {
    const wish = { url: 'http://localhost:4000/', events: ['message.sent'] };
    const { id: listener } = await openListener(here, wish, testKeyring);
    await delivered(1, FAILED);

    const all = await wms('resend', '--workspace', here.organizationId, '--json');
    const one = await wms('resend', '--endpoint', listener, '--json');

    expect(all.json.resent).toMatchObject([{ id: mine, resent: 1 }]);
    expect(one.json.resent).toMatchObject([{ id: listener, resent: 1 }]);
  });

  it('says that they wait only where something is paused, and where there is nothing', async () => {
    const { ctx: empty } = await aWorkspace(shell.database);
    const resend = async ({ organizationId }: Context) =>
      (await wms('resend', '--workspace', organizationId)).out;
    await pauseEndpoint(there, theirs);

    expect(await resend(here)).toMatch(/\(Pedidos\): 0 are sent again\n$/);
    expect(await resend(there)).toMatch(/\nWhat is paused gets them once it is resumed\.\n$/);
    expect(await resend(empty)).toBe('There is no endpoint.\n');
  });
});
