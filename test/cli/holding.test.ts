import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { openShell, type Said, type Shell } from '../support/shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell.close());

const ops = (...args: string[]): Promise<Said> => shell.wmsAnywhere('ops', ...args);

const statusOf = async (id: string): Promise<string> => {
  const [row] = await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
    sql.rows<{ status: string; status_reason: string | null }>(
      'select status, status_reason from numbers where id = $1',
      [id],
    ),
  );
  return `${row?.status} ${row?.status_reason}`;
};

describe('wms ops hold and release', () => {
  it('take all numbers that send out of use and back, and leave the others as they are', async () => {
    const [one, two, ill] = [
      await aNumber(shell.ctx),
      await aNumber(shell.ctx),
      await aNumber(shell.ctx),
    ];
    await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
      sql.rows(
        `update numbers set status = 'disconnected', status_reason = 'logged_out' where id = $1`,
        [ill.id],
      ),
    );

    const held = await ops('hold');
    const during = await Promise.all([one, two, ill].map(({ id }) => statusOf(id)));
    const early = await ops('release');
    const released = await ops('release', '--at-once', '--json');
    const after = await Promise.all([one, two, ill].map(({ id }) => statusOf(id)));

    expect(held.out).toContain(`${one.id} of ${shell.ctx.organizationId} is held`);
    expect(held.out).toContain('2 numbers were held.');
    expect(during).toEqual(['disconnected held', 'disconnected held', 'disconnected logged_out']);
    expect(early.code).toBe(1);
    expect(early.out).toContain(`${two.id} of ${shell.ctx.organizationId} stays held: held for 0`);
    expect(released.code).toBe(0);
    expect(released.json.released).toHaveLength(2);
    expect(after).toEqual(['connected null', 'connected null', 'disconnected logged_out']);
  });
});
