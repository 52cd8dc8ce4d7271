import { Command } from 'commander';
import { apiKeyCommands } from './commands/api-keys.ts';
import { appCommands } from './commands/apps.ts';
import { automationCommands } from './commands/automations.ts';
import { campaignCommands } from './commands/campaigns.ts';
import { contactCommands } from './commands/contacts.ts';
import { deliveryCommands } from './commands/deliveries.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { formCommands } from './commands/forms.ts';
import { groupCommands } from './commands/groups.ts';
import { keyCommands } from './commands/keys.ts';
import { listenCommand } from './commands/listen.ts';
import { memberCommands } from './commands/members.ts';
import { migrateCommand } from './commands/migrate.ts';
import { numberCommands } from './commands/numbers.ts';
import { opsCommands } from './commands/ops.ts';
import { pipelineCommands } from './commands/pipelines.ts';
import { reminderCommands } from './commands/reminders.ts';
import { segmentCommands } from './commands/segments.ts';
import { teamCommands } from './commands/teams.ts';
import { triggerCommand } from './commands/trigger.ts';
import { webhookCommands } from './commands/webhooks.ts';
import { workspaceCommands } from './commands/workspaces.ts';
import { reportFailure } from './failure.ts';

const COMMANDS = [
  workspaceCommands,
  memberCommands,
  teamCommands,
  groupCommands,
  numberCommands,
  apiKeyCommands,
  appCommands,
  contactCommands,
  segmentCommands,
  campaignCommands,
  pipelineCommands,
  reminderCommands,
  automationCommands,
  formCommands,
  webhookCommands,
  listenCommand,
  triggerCommand,
  deliveryCommands,
  keyCommands,
  demoCommand,
  doctorCommand,
  opsCommands,
  migrateCommand,
];

/** Runs one command; `words` are its arguments after `wms`. Failures are printed and set the exit code. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const program = createProgram({ inJson: words.includes('--json') });
  await program.parseAsync(words, { from: 'user' }).catch(reportFailure);
}

/**
 * `wms` with all its commands.
 *
 * @param inJson whether a wrong call is thrown, to be reported as one JSON document, in place of help
 */
export function createProgram({ inJson = false } = {}): Command {
  const program = new Command('wms').description(
    'Workspace Messaging from the command line: of the service that npm start runs here, or that DATABASE_URL names.',
  );
  if (inJson) program.exitOverride().configureOutput({ writeErr: () => {} });
  else program.showHelpAfterError();
  for (const add of COMMANDS) add(program);
  return program;
}
