import { describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import {
  endOldListeners,
  noteHeard,
  openListener,
} from '../../../src/webhooks/listeners/service.ts';
import { untilWaiting } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell } from '../../support/shell.ts';
import { runUpkeep } from '../../support/upkeep.ts';
import { eventually } from '../../support/waiting.ts';

const shell = opened(() => openShell({ NODE_ENV: 'test' }));

const open = (url: string) =>
  openListener(shell.ctx, { url, events: ['contact.created'] }, testKeyring);
const rows = <R>(text: string, params: readonly unknown[] = []) =>
  rowsOf<R>(shell.ctx, text, params);
const isOpen = async (id: string): Promise<boolean> => {
  const [row] = await rows<{ open: boolean }>(
    'select deleted_at is null as open from webhook_endpoints where id = $1',
    [id],
  );
  return row?.open ?? false;
};

const DAY_MS = 24 * 3_600_000;
const inDays = (days: number): Date => new Date(shell.ctx.now.getTime() + days * DAY_MS);

describe('listeners that fell silent', () => {
  it('end after seven days, not sooner, and what is held for them is to be ended', async () => {
    const { id } = await open('http://localhost:4000/old');

    await rows(
      `insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, created_at, in_backlog, held_at, lease_until)
       values (current_date, $1, 'dlv_1', $2, 'evt_1', 'contact.created', 'held', now(), true, now(), now())`,
      [shell.ctx.organizationId, id],
    );

    await endOldListeners(shell.database, inDays(6.9));
    expect(await isOpen(id)).toBe(true);
    const ended = await endOldListeners(shell.database, inDays(7.1));

    expect([ended, await isOpen(id)]).toEqual([1, false]);
    expect(await endOldListeners(shell.database, inDays(7.1))).toBe(0);
    await drainBacklog(
      { database: shell.database, clock: { now: () => inDays(7.1), skewMs: 0 }, wake: () => {} },
      { organizationId: shell.ctx.organizationId, endpointId: id },
    );
    expect(await rows('select status, error from webhook_deliveries')).toEqual([
      { status: 'failed', error: 'expired' },
    ]);
    const facts = await rows("select payload from facts where type = 'endpoint.changed'");
    expect(facts).toEqual([{ payload: JSON.stringify({ endpointId: id }) }]);
  });

  it('are new ones with a new secret when they start again', async () => {
    const before = await open('http://localhost:4000/again');
    expect(await open('http://localhost:4000/again')).toEqual(before);
    await endOldListeners(shell.database, inDays(8));

    const after = await open('http://localhost:4000/again');

    expect([after.id === before.id, after.secret === before.secret]).toEqual([false, false]);
  });

  it('are ended by a workflow of its own', async () => {
    const { id } = await open('http://localhost:4000/clock');

    await runUpkeep({
      workflow: 'endListeners',
      history: 'end-listeners',
      database: shell.database,
      now: inDays(8),
    });

    expect(await isOpen(id)).toBe(false);
  });

  it('stay if they start again at the last moment', async () => {
    const { id } = await open('http://localhost:4000/late');
    const { organizationId } = shell.ctx;
    await rows(`update webhook_endpoints set heard_at = now() - interval '8 days' where id = $1`, [
      id,
    ]);

    const { ended } = await inWorkspace(shell.database, organizationId, async (sql) => {
      await noteHeard(sql, organizationId, id);
      const ended = endOldListeners(shell.database, inDays(0));
      await untilWaiting(shell.database.system);
      return { ended };
    });

    expect([await ended, await isOpen(id)]).toEqual([0, true]);
  });

  it('are told so when they were only asleep', async () => {
    const one = shell.start('listen', '--forward-to', 'localhost:4999', '--json');
    await eventually(() => one.lines().length > 0, { instead: one.err });
    const { listener, url } = JSON.parse(one.lines()[0] ?? '');
    expect(url).toBe('http://localhost:4999/');

    await endOldListeners(shell.database, inDays(8));

    await eventually(() => one.lines().length > 1, { instead: one.err });
    expect(one.lines()[1]).toContain('was ended');
    expect(await one.exited).toBe(1);
    expect(await isOpen(listener)).toBe(false);
  });
});

describe('wms listen', () => {
  it('refuses events that do not exist and addresses that are none', async () => {
    const event = await shell.wmsInWords(
      'listen',
      '--forward-to',
      '4000',
      '--events',
      'contact.lost',
    );
    const address = await shell.wmsInWords('listen', '--forward-to', 'ftp://localhost/x');

    expect([event.code, event.err]).toEqual([
      1,
      expect.stringContaining(
        'events: There is no event "contact.lost". The events are message.received,',
      ),
    ]);
    expect([address.code, address.err]).toEqual([
      1,
      expect.stringContaining('Example: http://localhost:4000/hooks'),
    ]);
  });
});
