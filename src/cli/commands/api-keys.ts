import type { Command } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../../api-keys/service.ts';
import { transact } from '../../db/transact.ts';
import { createOutput, table } from '../output.ts';
import { withSession } from '../session.ts';

interface Create {
  readonly workspace: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires: string;
  readonly json?: boolean;
}

interface InWorkspace {
  readonly workspace: string;
  readonly json?: boolean;
}

/** `wms api-key`. The key is printed only this once. */
export function apiKeyCommands(program: Command): void {
  const apiKey = program.command('api-key').description('keys of system integrations');
  apiKey
    .command('create')
    .description('create a key; it is shown this once')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--name <name>', 'the name of the key and of its service account')
    .requiredOption(
      '--scopes <scopes>',
      'comma-separated, for example contacts:read,campaigns:write',
    )
    .option('--expires <lifetime>', '30d, 90d, 1y or never', 'never')
    .option('--json', 'print one JSON document')
    .action((options: Create) =>
      withSession(async (session) => {
        const created = await createApiKey(await session.contextFor(options.workspace), {
          name: options.name,
          scopes: options.scopes.split(',').map((scope) => scope.trim()),
          lifetime: options.expires,
        });
        createOutput(options.json ?? false).result(created, [
          `key ${created.id}`,
          created.key,
          'This is the only time it is shown.',
        ]);
      }),
    );
  apiKey
    .command('list')
    .description('every key of a workspace, never the key itself')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--json', 'print one JSON document')
    .action((options: InWorkspace) =>
      withSession(async (session) => {
        const keys = await transact(await session.contextFor(options.workspace), listApiKeys);
        const rows = keys.map((key) => [
          key.id,
          `${key.prefix}…`,
          key.expiring_soon ? 'expiring soon' : key.status,
          key.name,
          key.scopes.join(','),
        ]);
        createOutput(options.json ?? false).result(
          keys,
          table([['ID', 'KEY', 'STATUS', 'NAME', 'SCOPES'], ...rows]),
        );
      }),
    );
  apiKey
    .command('revoke')
    .description('end a key at once and for good')
    .argument('<key>', 'the id of the key, key_…')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--json', 'print one JSON document')
    .action((id: string, options: InWorkspace) =>
      withSession(async (session) => {
        const revoked = await revokeApiKey(await session.contextFor(options.workspace), id);
        createOutput(options.json ?? false).result(revoked, [
          `key ${revoked.id} is ${revoked.status}`,
        ]);
      }),
    );
}
