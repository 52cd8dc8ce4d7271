import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const FULL = '/dev/full';

/** Logs while it works, and then ends. */
const WORKING = `
  import { createLog } from '${new URL('../../src/log.ts', import.meta.url)}';
  const log = createLog({ level: 'info', format: 'json' });
  for (let i = 0; i < 200; i += 1) {
    log.info({ filler: 'x'.repeat(100_000) }, 'a line');
    if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.error(process.memoryUsage().rss < 300e6 ? 'went on' : 'kept all');
  process.exit(7);
`;

(existsSync(FULL) ? describe : describe.skip)('a log whose disk is full', () => {
  it('loses lines, and neither ends the process nor keeps it from ending', async () => {
    const full = openSync(FULL, 'w');
    const args = ['--input-type=module', '--eval', WORKING];
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);

    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')]);

    expect(said.trim()).toBe('went on');
    expect(code).toBe(7);
  });
});
