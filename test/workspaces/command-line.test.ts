import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openShell, type Shell } from '../support/shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell.close());

describe('wms workspace set', () => {
  it('says after how many hours conversations are closed, and refuses what is no such number', async () => {
    const set = await shell.wms('workspace', 'set', '--idle-close', '24');
    const wrong = await shell.wms('workspace', 'set', '--idle-close', '0');
    const off = await shell.wms('workspace', 'set', '--idle-close', 'off');

    expect(set.json).toEqual({ idle_close_hours: 24 });
    expect([wrong.code, wrong.json.error.code]).toEqual([1, 'validation']);
    expect(off.json).toEqual({ idle_close_hours: null });
  }, 90_000);
});
