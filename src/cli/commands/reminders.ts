import type { Command } from 'commander';
import { cancelReminder } from '../../reminders/cancelling.ts';
import { listReminders } from '../../reminders/reading.ts';
import { createReminder, newReminderOf } from '../../reminders/service.ts';
import { readJson } from '../files.ts';
import { table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

type Reminder = Awaited<ReturnType<typeof createReminder>>;

/** `wms reminder`: here it may be transactional, which an API key may not make it. */
export function reminderCommands(program: Command): void {
  const reminder = program.command('reminder').description('messages that repeat by themselves');
  aboutWorkspace(reminder, 'create', 'create a reminder; here it may be transactional')
    .requiredOption('--file <file>', 'the body of POST /v1/reminders, as JSON')
    .action(({ file, ...options }: WorkspaceOptions & { readonly file: string }) =>
      perform(options, (ctx) => createReminder(ctx, newReminderOf(readJson(file))), said),
    );
  aboutWorkspace(reminder, 'cancel <reminder>', 'cancel a reminder; its record stays').action(
    (id: string, options: WorkspaceOptions) =>
      perform(options, (ctx) => cancelReminder(ctx, id), said),
  );
  aboutWorkspace(reminder, 'list', 'list the reminders, newest first').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => all(ctx, (tx, page) => listReminders(tx, {}, page)),
        (reminders) => table(reminders.map(line)),
      ),
  );
}

const line = ({ id, status, next_run_at, title }: Reminder): string[] => [
  id,
  status,
  next_run_at ?? 'no run to come',
  title,
];

const said = (reminder: Reminder): string[] => table([line(reminder)]);
