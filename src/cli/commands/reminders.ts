import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { cancelReminder } from '../../reminders/cancelling.ts';
import { listReminders } from '../../reminders/reading.ts';
import { createReminder, newReminderOf } from '../../reminders/service.ts';
import { CommandError, createOutput, table } from '../output.ts';
import { withSession } from '../session.ts';

interface Common {
  readonly workspace: string;
  readonly json?: boolean;
}

type Reminder = Awaited<ReturnType<typeof createReminder>>;

/** `wms reminder`: here it may be transactional, which the API does not offer. */
export function reminderCommands(program: Command): void {
  const reminder = program.command('reminder').description('messages that repeat by themselves');
  const add = (usage: string, description: string): Command =>
    reminder
      .command(usage)
      .description(description)
      .requiredOption('--workspace <id>', 'the workspace')
      .option('--json', 'print one JSON document');
  add('create', 'create a reminder; here it may be transactional')
    .requiredOption('--file <file>', 'the body of POST /v1/reminders, as JSON')
    .action((options: Common & { file: string }) =>
      run(options, (ctx) => createReminder(ctx, newReminderOf(readJson(options.file)))),
    );
  add('cancel <reminder>', 'cancel a reminder; its record stays').action(
    (id: string, options: Common) => run(options, (ctx) => cancelReminder(ctx, id)),
  );
  add('list', 'list the newest hundred reminders').action((options: Common) =>
    withSession(async (session) => {
      const ctx = await session.contextFor(options.workspace);
      const page = { limit: 100, after: null };
      const { data } = await transact(ctx, (tx) => listReminders(tx, {}, page));
      createOutput(options.json ?? false).result(data, table(data.map(line)));
    }),
  );
}

const run = (options: Common, change: (ctx: Context) => Promise<Reminder>): Promise<void> =>
  withSession(async (session) => {
    const done = await change(await session.contextFor(options.workspace));
    createOutput(options.json ?? false).result(done, table([line(done)]));
  });

const line = ({ id, status, next_run_at, title }: Reminder): string[] => [
  id,
  status,
  next_run_at ?? 'no run to come',
  title,
];

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
