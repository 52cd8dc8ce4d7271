import type { Command } from 'commander';
import type { Team } from '../../members/entities.ts';
import { listTeams } from '../../members/reading.ts';
import { removeTeam } from '../../members/removing.ts';
import { addTeam, updateTeam } from '../../members/teams.ts';
import { CommandError, numberOrOff, table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Change extends WorkspaceOptions {
  readonly name?: string;
  readonly autoAssign?: string;
  readonly returnAfter?: string;
}

const ID = ['<team>', 'the id of the team, team_…'] as const;

/** `wms team`: the teams themselves; membership is set with `wms member`. */
export function teamCommands(program: Command): void {
  const team = program.command('team').description('teams of a workspace');
  aboutWorkspace(team, 'list', 'every team, newest first').action((options: WorkspaceOptions) =>
    perform(
      options,
      (ctx) => all(ctx, listTeams),
      (teams) =>
        table([
          ['ID', 'MEMBERS', 'NAME'],
          ...teams.map(({ id, member_ids, name }) => [id, String(member_ids.length), name]),
        ]),
    ),
  );
  aboutWorkspace(team, 'add', 'add a team without members')
    .argument('<name>', 'its name, 1 to 60 characters')
    .action((name: string, options: WorkspaceOptions) =>
      perform(options, (ctx) => addTeam(ctx, name).then(shown), said),
    );
  aboutWorkspace(team, 'change', 'rename a team, or let the queue assign for it')
    .argument(...ID)
    .option('--name <name>', 'its name, 1 to 60 characters')
    .option('--auto-assign <on|off>', 'give waiting conversations to members who are online')
    .option(
      '--return-after <minutes|off>',
      'pass a conversation on after this many minutes without an answer, 1 to 1440',
    )
    .action((id: string, options: Change) =>
      perform(options, (ctx) => updateTeam(ctx, id, patchOf(options)).then(shown), said),
    );
  aboutWorkspace(team, 'remove', 'remove a team; its conversations have none then')
    .argument(...ID)
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => removeTeam(ctx, id).then(() => ({ team_id: id, removed: true })),
        () => [`team ${id} is removed`],
      ),
    );
}

function patchOf({ name, autoAssign, returnAfter }: Change): Parameters<typeof updateTeam>[2] {
  if (autoAssign !== undefined && autoAssign !== 'on' && autoAssign !== 'off')
    throw new CommandError('--auto-assign is on or off.');
  return {
    ...(name === undefined ? {} : { name }),
    ...(autoAssign === undefined ? {} : { autoAssign: autoAssign === 'on' }),
    ...(returnAfter === undefined ? {} : { returnAfterMinutes: numberOrOff(returnAfter) }),
  };
}

const shown = ({ id, name, autoAssign, returnAfterMinutes }: Team) => ({
  team_id: id,
  name,
  auto_assign: autoAssign,
  return_after_minutes: returnAfterMinutes ?? null,
});

const said = (team: ReturnType<typeof shown>): string[] => [
  `team ${team.team_id} is ${team.name}${team.auto_assign ? ', assigned to by the queue' : ''}`,
  ...(team.return_after_minutes === null
    ? []
    : [`without an answer for ${team.return_after_minutes} minutes a conversation is passed on`]),
];
