import { runCommand } from '../../../src/cli/program.ts';

/**
 * A process that runs one `wms` command after another, as messages ask for them: what a process of its own
 * costs each of them is a second of loading the same modules again.
 */

const PROGRAM = process.argv.slice(0, 2);
let finish = (): void => {};

// Commander ends the process so after a wrong option, or after its help.
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode ?? 0;
  finish();
  throw new Error('the command is over');
};

process.on('message', (words: readonly string[]) => void obey(words));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function obey(words: readonly string[]): Promise<void> {
  const said = { out: '', err: '' };
  let over = false;
  finish = () => {
    if (!over) process.send?.({ code: Number(process.exitCode), ...said });
    over = true;
  };
  process.argv = [...PROGRAM, ...words];
  process.exitCode = 0;
  process.stdout.write = hear((text) => {
    said.out += text;
  });
  process.stderr.write = hear((text) => {
    said.err += text;
  });
  await runCommand(words);
  finish();
}

const hear = (add: (text: string) => void): typeof process.stdout.write =>
  ((chunk: string | Uint8Array) => {
    add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    return true;
  }) as typeof process.stdout.write;
