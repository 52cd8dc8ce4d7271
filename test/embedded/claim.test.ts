import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimDataDir } from '../../src/embedded/claim.ts';
import { noteStarted } from '../support/run-folder.ts';

const CLAIM = new URL('../../src/embedded/claim.ts', import.meta.url).href;

describe('the data folder', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-claim-'));
  });
  afterAll(() => fs.rmSync(dataDir, { recursive: true }));

  it('belongs to one living process, and to the next one after a kill', async () => {
    const code = `import { claimDataDir } from ${JSON.stringify(CLAIM)};
      await claimDataDir(${JSON.stringify(dataDir)}); console.log('mine'); setInterval(() => {}, 1000);`;
    const first = spawn(process.execPath, ['--input-type=module', '-e', code]);
    if (first.pid) noteStarted({ pid: first.pid, mark: dataDir, signal: 'SIGKILL' });
    await once(first.stdout, 'data');

    try {
      await expect(claimDataDir(dataDir)).rejects.toThrow(
        `The service runs already with ${dataDir} (process ${first.pid})`,
      );
    } finally {
      first.kill('SIGKILL');
      await once(first, 'exit');
    }
    await claimDataDir(dataDir);
    await claimDataDir(dataDir);
  });

  it('belongs to nobody once another program has the pid of its process', async () => {
    const owner = { pid: process.ppid, command: 'node src/main.ts' };
    fs.writeFileSync(path.join(dataDir, 'owner.json'), JSON.stringify(owner));

    await claimDataDir(dataDir);

    const { pid } = JSON.parse(fs.readFileSync(path.join(dataDir, 'owner.json'), 'utf8'));
    expect(pid).toBe(process.pid);
  });
});
