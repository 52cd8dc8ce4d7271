import { runCommand } from './program.ts';

// Behind `| head` nobody reads on: what the command was told to do is done to its end all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

await runCommand(process.argv.slice(2));
