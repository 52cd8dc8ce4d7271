import type { Command } from 'commander';
import { transact } from '../../db/transact.ts';
import { groupsInWhatsApp } from '../../groups/reading.ts';
import { addGroup } from '../../groups/service.ts';
import { table, wholeNumber } from '../output.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Add extends WorkspaceOptions {
  readonly number: string;
  readonly providerId: string;
  readonly name: string;
  readonly description?: string;
  readonly members?: string;
}

/** `wms group`: records an existing WhatsApp group here; creates none in WhatsApp. */
export function groupCommands(program: Command): void {
  const group = program.command('group').description('WhatsApp groups of the numbers');
  aboutWorkspace(
    group,
    'add',
    'make a group known before its first message, or name one that has none; it is not created in WhatsApp',
  )
    .requiredOption('--number <id>', 'the number that is in the group, num_…')
    .requiredOption('--provider-id <id>', "WhatsApp's id of the group")
    .requiredOption('--name <name>', 'name, 1 to 100 characters')
    .option('--description <text>', 'what the group is about')
    .option('--members <number>', 'how many others are in it')
    .action(({ number: numberId, providerId, name, description, members, ...options }: Add) =>
      perform(
        options,
        async (ctx) => {
          const { id, conversationId } = await addGroup(ctx, {
            numberId,
            providerId,
            name,
            ...(description === undefined ? {} : { description }),
            ...(members === undefined ? {} : { members: wholeNumber(members) }),
          });
          return { group_id: id, conversation_id: conversationId };
        },
        (added) => [`group ${added.group_id} talks in ${added.conversation_id}`],
      ),
    );
  aboutWorkspace(
    group,
    'list',
    "list the groups with WhatsApp's ids, newest first, also those that the number left",
  ).action((options: WorkspaceOptions) =>
    perform(
      options,
      async (ctx) => ({ groups: await transact(ctx, groupsInWhatsApp) }),
      ({ groups }) =>
        table(
          groups.map(({ id, provider_id, number_id, name, left_at }) => [
            id,
            provider_id,
            number_id,
            name || 'no name',
            left_at ? 'left' : '',
          ]),
        ),
    ),
  );
}
