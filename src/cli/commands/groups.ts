import type { Command } from 'commander';
import { addGroup } from '../../groups/service.ts';
import { createOutput } from '../output.ts';
import { withSession } from '../session.ts';

interface Add {
  readonly workspace: string;
  readonly number: string;
  readonly providerId: string;
  readonly name: string;
  readonly description?: string;
  readonly members?: string;
  readonly json?: boolean;
}

/** `wms group`: records an existing WhatsApp group here; creates none in WhatsApp. */
export function groupCommands(program: Command): void {
  const group = program.command('group').description('WhatsApp groups of the numbers');
  group
    .command('add')
    .description('make a group known before its first message; it is not created in WhatsApp')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--number <id>', 'the number that is in the group, num_…')
    .requiredOption('--provider-id <id>', "WhatsApp's id of the group")
    .requiredOption('--name <name>', 'name, 1 to 100 characters')
    .option('--description <text>', 'what the group is about')
    .option('--members <number>', 'how many others are in it')
    .option('--json', 'print one JSON document')
    .action((options: Add) =>
      withSession(async (session) => {
        const { id, conversationId } = await addGroup(await session.contextFor(options.workspace), {
          numberId: options.number,
          providerId: options.providerId,
          name: options.name,
          ...(options.description === undefined ? {} : { description: options.description }),
          ...(options.members === undefined ? {} : { members: Number(options.members) }),
        });
        createOutput(options.json ?? false).result(
          { group_id: id, conversation_id: conversationId },
          [`group ${id} talks in ${conversationId}`],
        );
      }),
    );
}
