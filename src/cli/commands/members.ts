import type { Command } from 'commander';
import type { Role } from '../../access/roles.ts';
import type { Visibility } from '../../access/visibility.ts';
import { addMember } from '../../members/service.ts';
import { createOutput } from '../output.ts';
import { withSession } from '../session.ts';

interface Add {
  readonly workspace: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password: string;
  readonly visibility?: Visibility;
  readonly team: readonly string[];
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function memberCommands(program: Command): void {
  program
    .command('member')
    .description('people of a workspace')
    .command('add')
    .description('add a person; everyone but a viewer takes a seat of the plan')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'name, 1 to 120 characters')
    .requiredOption('--role <role>', 'owner, admin, agent or viewer')
    .requiredOption('--password <password>', 'password')
    .option('--visibility <visibility>', 'workspace, teams or assigned')
    .option('--team <name>', 'a team, found or created by name; may be repeated', collect, [])
    .option('--json', 'print one JSON document')
    .action((options: Add) =>
      withSession(async (session) => {
        const { id } = await addMember(await session.contextFor(options.workspace), {
          email: options.email,
          name: options.name,
          role: options.role,
          password: options.password,
          teams: options.team,
          ...(options.visibility ? { visibility: options.visibility } : {}),
        });
        createOutput(options.json ?? false).result({ member_id: id }, [`member ${id}`]);
      }),
    );
}
