import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withLock } from '../../src/embedded/lock.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-lock-'));
  file = path.join(folder, 'part.lock');
});
beforeEach(() => fs.rmSync(file, { force: true }));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const work = () => Promise.resolve('done');

describe('the lock of a folder', () => {
  it('lets one at a time work, also within one process', async () => {
    let inside = 0;
    let most = 0;
    const one = () =>
      withLock(file, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await setImmediate();
        inside -= 1;
      });

    await Promise.all([one(), one(), one()]);

    expect(most).toBe(1);
  });

  it('is given back, also by work that fails', async () => {
    const failing = withLock(file, () => Promise.reject(new Error('no')));

    await expect(failing).rejects.toThrow('no');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['whose process was killed', () => spawnSync('true').pid],
    ['from before a restart, with the pid that this process has now', () => process.pid],
  ])('is broken %s', async (_, pid) => {
    fs.writeFileSync(file, String(pid()));

    expect(await withLock(file, work)).toBe('done');
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
