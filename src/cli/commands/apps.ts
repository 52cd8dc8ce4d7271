import type { Command } from 'commander';
import { transact } from '../../db/transact.ts';
import {
  answerReview,
  appsInReview,
  type ReviewResult,
  type WaitingApp,
  workspaceOfApp,
} from '../../oauth/apps/reviews.ts';
import { createApp, listApps } from '../../oauth/apps/service.ts';
import { CommandError, createOutput, table } from '../output.ts';
import { type ScopeOptions, scopesOption } from '../scopes.ts';
import { withSession } from '../session.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Create extends WorkspaceOptions, ScopeOptions {
  readonly name: string;
  readonly redirectUri: readonly string[];
}

interface Review {
  readonly verified?: string;
  /** True where `--reason` says why. */
  readonly rejected?: string | true;
  readonly reason?: string;
  readonly json?: boolean;
}

/** `wms app`: a workspace's own apps, and the reviews by our team (specification, OAuth app verification). */
export function appCommands(program: Command): void {
  const app = program.command('app').description('apps that act for people (OAuth)');
  ofWorkspace(app);
  reviews(app);
}

function ofWorkspace(app: Command): void {
  const creating = aboutWorkspace(app, 'create', 'register an app; its secret is shown this once')
    .requiredOption('--name <name>', 'what people read when they are asked, 1 to 80 characters')
    .requiredOption('--redirect-uri <uris...>', '1 to 10, each https, or http on a loopback host');
  scopesOption(creating, 'what it may ask for').action((options: Create) =>
    perform(
      options,
      (ctx) =>
        createApp(ctx, {
          name: options.name,
          redirectUris: options.redirectUri,
          scopes: options.scopes,
        }),
      ({ id, secret }) => [`client id ${id}`, `secret ${secret}`, 'The secret is not shown again.'],
    ),
  );
  aboutWorkspace(app, 'list', "the workspace's own apps, newest first").action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => transact(ctx, listApps),
        (apps) =>
          table([
            ['ID', 'VERIFICATION', 'NAME'],
            ...apps.map(({ id, verification, name }) => [id, verification, name]),
          ]),
      ),
  );
}

const asShown = (app: WaitingApp): string[] => [
  `${app.id}  ${app.name}, of ${app.workspace}`,
  `  sends people back to  ${app.redirect_uris.join('  ')}`,
  `  may ask for           ${app.scopes.join(' ')}`,
  `  use of data           ${app.data_use}`,
  `  verify it with        wms app review ${app.id} --verified ${app.mark}`,
];

function answerOf({ verified, rejected, reason }: Omit<Review, 'json'>): ReviewResult {
  const [note, ...more] = [rejected, reason].filter((said) => typeof said === 'string');
  if (verified !== undefined && rejected === undefined && note === undefined)
    return { verified: true, mark: verified };
  if (verified === undefined && rejected !== undefined && note !== undefined && more.length === 0)
    return { verified: false, note };
  throw new CommandError('Say either --verified <mark> or --rejected --reason <reason>.');
}

/** For the service's own team: reviews of apps in all workspaces. */
function reviews(app: Command): void {
  app
    .command('reviews')
    .description('apps that wait for a review, oldest app first')
    .option('--json', 'print one JSON document')
    .action(({ json }: Review) =>
      withSession(async ({ database }) => {
        const apps = await appsInReview(database);
        createOutput(json).result(apps, apps.flatMap(asShown));
      }),
    );
  app
    .command('review')
    .argument('<app>', 'the client id, app_…')
    .description('answer a review: an app that is verified connects to every workspace')
    .option('--verified <mark>', 'it is what it says; with the mark that `wms app reviews` shows')
    .option('--rejected [reason]', 'it is not; the workspace reads why')
    .option('--reason <reason>', 'why it is rejected')
    .option('--json', 'print one JSON document')
    .action((id: string, { json, ...said }: Review) =>
      withSession(async (session) => {
        const answer = answerOf(said);
        const organizationId = await workspaceOfApp(session.database, id);
        if (!organizationId) throw new CommandError(`There is no app ${id} in any workspace.`);
        const ctx = await session.contextFor(organizationId);
        const verification = await answerReview(ctx, id, answer);
        createOutput(json).result({ app_id: id, verification }, [`app ${id} is ${verification}`]);
      }),
    );
}
