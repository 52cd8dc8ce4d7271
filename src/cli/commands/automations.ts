import type { Command } from 'commander';
import { startByHand } from '../../automations/by-hand.ts';
import { listAutomations } from '../../automations/reading.ts';
import {
  createAutomation,
  readNewAutomation,
  readPatch,
  updateAutomation,
} from '../../automations/service.ts';
import { activateAutomation, deactivateAutomation } from '../../automations/transitions.ts';
import { readJson } from '../files.ts';
import { table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

type Detail = Awaited<ReturnType<typeof createAutomation>>;
type Filed = WorkspaceOptions & { readonly file: string };

/** `wms automation`: what the API does not offer to keys, above all drafts. */
export function automationCommands(program: Command): void {
  const automation = program.command('automation').description('what answers by itself');
  const add = (usage: string, description: string): Command =>
    aboutWorkspace(automation, usage, description);
  add('create', 'make a draft; the file holds what POST /v1/automations takes')
    .requiredOption('--file <file>', 'the automation as JSON')
    .action((options: Filed) => fromFile(options, null));
  add('update <automation>', 'change the draft; the file holds what is to change')
    .requiredOption('--file <file>', 'name, description, trigger, entry, steps: any of them')
    .action((id: string, options: Filed) => fromFile(options, id));
  add('activate <automation>', 'publish the draft and turn the automation on').action(
    (id: string, options: WorkspaceOptions) =>
      perform(options, (ctx) => activateAutomation(ctx, id), describe),
  );
  add('deactivate <automation>', 'start no new run')
    .option('--cancel', 'end the runs in progress too')
    .action((id: string, options: WorkspaceOptions & { readonly cancel?: boolean }) =>
      perform(
        options,
        (ctx) => deactivateAutomation(ctx, id, options.cancel ? 'cancel' : 'finish'),
        describe,
      ),
    );
  add('start <automation>', 'start it for a contact by hand, whatever it listens for')
    .requiredOption('--contact <contact>', 'the contact it is for')
    .action((id: string, options: WorkspaceOptions & { readonly contact: string }) =>
      perform(
        options,
        (ctx) => startByHand(ctx, id, options.contact),
        (begun) => [`automation ${begun.automation_id} begins for contact ${begun.contact_id}`],
      ),
    );
  add('list', 'list the automations, newest first').action((options: WorkspaceOptions) =>
    perform(
      options,
      (ctx) => all(ctx, (tx, page) => listAutomations(tx, {}, page)),
      (rows) => table(rows.map((row) => [row.id, row.status, `v${row.version}`, row.name])),
    ),
  );
}

const fromFile = (options: Filed, id: string | null): Promise<void> =>
  perform(
    options,
    (ctx, { config }) => {
      const parts = { trustedOrigins: config.WEBHOOK_TRUSTED_ORIGINS ?? [] };
      const given = readJson(options.file);
      return id
        ? updateAutomation(ctx, id, readPatch(given), parts)
        : createAutomation(ctx, readNewAutomation(given), parts);
    },
    describe,
  );

const describe = ({ id, name, status, version, issues }: Detail): string[] => [
  `automation ${id} (${name}) is ${status}, version ${version}`,
  ...issues.map(
    ({ severity, path, step_id, message }) =>
      `${severity} at ${path ?? step_id ?? 'the trigger'}: ${message}`,
  ),
];
