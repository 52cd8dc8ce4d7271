import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openShell, type Shell } from '../support/shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell.close());

describe('wms workspace set', () => {
  it('sets what is given alone, and refuses what cannot be', async () => {
    const set = await shell.wms('workspace', 'set', '--idle-close', '24');
    const place = ['--time-zone', 'Europe/Lisbon', '--language', 'pt-PT'];
    const moved = await shell.wms('workspace', 'set', ...place);
    const refused = ['--idle-close', '0', '--time-zone', '-03:00', '--language', 'português'];
    const wrong = await shell.wms('workspace', 'set', ...refused);
    const off = await shell.wms('workspace', 'set', '--idle-close', 'off');

    const before = { time_zone: 'America/Sao_Paulo', language: 'pt-BR' };
    const after = { time_zone: 'Europe/Lisbon', language: 'pt-PT' };
    expect(set.json).toEqual({ idle_close_hours: 24, ...before });
    expect(moved.json).toEqual({ idle_close_hours: 24, ...after });
    expect([wrong.code, wrong.json.error.code]).toEqual([1, 'validation']);
    expect(wrong.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'idle_close_hours',
      'time_zone',
      'language',
    ]);
    expect(off.json).toEqual({ idle_close_hours: null, ...after });
  }, 90_000);
});
