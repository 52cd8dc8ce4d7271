import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each([
  ['test/chaos/run.ts --kills 3OO', '--kills is a whole number, not "3OO".'],
  ['bench/run.ts campaign --recipients 5e', '--recipients is a whole number, not "5e".'],
  ['bench/run.ts campaign held', 'There is no benchmark campaign held.'],
])('%s does nothing, and says why', (command, said) => {
  const words = ['scripts/run.mjs', ...command.split(' ')];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 200_000,
  });

  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(said);
});
