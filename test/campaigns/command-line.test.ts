import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aNumber } from '../support/factories/numbers.ts';
import { openShell, type Said, type Shell } from '../support/shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell.close());

const wms = (...args: string[]): Promise<Said> => shell.wms('campaign', ...args);

describe('wms campaign', () => {
  it('sets and shows what all campaigns keep to, each guard by itself', async () => {
    const { json: none } = await wms('guards');
    await wms('guards', '--quiet-hours', '21:00-08:00');
    const { json: both } = await wms('guards', '--frequency-cap', '2/7');
    const { json: one } = await wms('guards', '--quiet-hours', 'none');

    const quiet = { from: '21:00', to: '08:00', timeZone: 'America/Sao_Paulo' };
    const cap = { messages: 2, days: 7 };
    expect(none).toMatchObject({ quiet: null, cap: null });
    expect(both).toMatchObject({ quiet, cap });
    expect(one).toMatchObject({ quiet: null, cap });
  });

  it('sets the daily limit of a number, and refuses what is none', async () => {
    const { id } = await aNumber(shell.ctx);

    const { json: set } = await wms('daily-limit', id, '200');
    const refused = await wms('daily-limit', id, 'many');

    expect(set).toEqual({ number_id: id, daily_limit: 200 });
    expect(refused.code).not.toBe(0);
    expect(refused.out + refused.err).toContain('daily_limit');
  });
});
