import type { Command } from 'commander';
import { createWorkspace, setPlan } from '../../workspaces/service.ts';
import { changeSettings } from '../../workspaces/settings.ts';
import { createOutput, numberOrOff } from '../output.ts';
import { withSession } from '../session.ts';
import { aboutWorkspace, type InWorkspace, perform } from './in-workspace.ts';
import { optOutPhraseCommands } from './opt-out-phrases.ts';

interface Create {
  readonly name: string;
  readonly plan: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
  readonly json?: boolean;
}

interface SetPlan {
  readonly workspace: string;
  readonly plan: string;
  readonly json?: boolean;
}

/** `wms workspace`. A new workspace always gets an owner. */
export function workspaceCommands(program: Command): void {
  const workspace = program.command('workspace').description('tenants');
  workspace
    .command('create')
    .description('create a workspace with its first owner')
    .requiredOption('--name <name>', 'its name, 1 to 80 characters')
    .requiredOption('--plan <plan>', 'essencial, profissional or escala')
    .requiredOption('--owner-email <email>', "the owner's e-mail address")
    .requiredOption('--owner-password <password>', "the owner's password")
    .option('--json', 'print one JSON document')
    .action((options: Create) =>
      withSession(async (session) => {
        const created = await createWorkspace(
          { database: session.database, wake: () => {} },
          options,
          { now: new Date() },
        );
        const result = {
          workspace_id: created.workspaceId,
          owner_member_id: created.ownerMemberId,
        };
        createOutput(options.json ?? false).result(result, [
          `workspace ${result.workspace_id}`,
          `owner     ${result.owner_member_id}`,
        ]);
      }),
    );
  workspace
    .command('set-plan')
    .description('move a workspace to another plan')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--plan <plan>', 'essencial, profissional or escala')
    .option('--json', 'print one JSON document')
    .action((options: SetPlan) =>
      withSession(async (session) => {
        const { plan } = await setPlan(await session.contextFor(options.workspace), options.plan);
        createOutput(options.json ?? false).result({ workspace_id: options.workspace, plan }, [
          `workspace ${options.workspace} is on the plan ${plan}`,
        ]);
      }),
    );
  aboutWorkspace(workspace, 'set', 'how the conversations of a workspace are tended')
    .requiredOption(
      '--idle-close <hours|off>',
      'close conversations after so many hours without a message, 1 to 720',
    )
    .action(({ idleClose, ...options }: InWorkspace & { readonly idleClose: string }) =>
      perform(
        options,
        (ctx) => changeSettings(ctx, { idle_close_hours: numberOrOff(idleClose) }),
        ({ idle_close_hours: hours }) => [
          hours === null
            ? 'conversations stay open until somebody closes them'
            : `conversations are closed after ${hours} hours without a message`,
        ],
      ),
    );
  optOutPhraseCommands(workspace);
}
