import type { Command } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../../api-keys/service.ts';
import { transact } from '../../db/transact.ts';
import { table } from '../output.ts';
import { type ScopeOptions, scopesOption } from '../scopes.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Create extends WorkspaceOptions, ScopeOptions {
  readonly name: string;
  readonly expires: string;
}

/** `wms api-key`. The key is printed only this once. */
export function apiKeyCommands(program: Command): void {
  const apiKey = program.command('api-key').description('keys of system integrations');
  const creating = aboutWorkspace(
    apiKey,
    'create',
    'create a key; it is shown this once',
  ).requiredOption('--name <name>', 'the name of the key and of its service account');
  scopesOption(creating, 'what it may do, for example contacts:read,campaigns:write')
    .option('--expires <lifetime>', '30d, 90d, 1y or never', 'never')
    .action(({ name, scopes, expires, ...options }: Create) =>
      perform(
        options,
        (ctx) => createApiKey(ctx, { name, scopes, lifetime: expires }),
        ({ id, key }) => [`key ${id}`, key, 'This is the only time it is shown.'],
      ),
    );
  aboutWorkspace(apiKey, 'list', 'every key of a workspace, never the key itself').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => transact(ctx, listApiKeys),
        (keys) =>
          table([
            ['ID', 'KEY', 'STATUS', 'NAME', 'SCOPES'],
            ...keys.map((key) => [
              key.id,
              `${key.prefix}…`,
              key.expiring_soon ? 'expiring soon' : key.status,
              key.name,
              key.scopes.join(','),
            ]),
          ]),
      ),
  );
  aboutWorkspace(apiKey, 'revoke', 'end a key at once and for good')
    .argument('<key>', 'the id of the key, key_…')
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => revokeApiKey(ctx, id),
        (revoked) => [`key ${revoked.id} is ${revoked.status}`],
      ),
    );
}
