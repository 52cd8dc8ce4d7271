import type { Command } from 'commander';
import { verifyLog } from '../../audit/verify.ts';
import { changeWorkspace } from '../../campaigns/limits/guards.ts';
import { asSystem } from '../../db/database.ts';
import { newInvitation } from '../../people/invitations.ts';
import { createWorkspace, listWorkspaces, setPlan } from '../../workspaces/service.ts';
import { createOutput, numberOrOff, table } from '../output.ts';
import { passwordOf, passwordOptions } from '../passwords.ts';
import { type Session, withSession } from '../session.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';
import { optOutPhraseCommands } from './opt-out-phrases.ts';

interface Create {
  readonly name: string;
  readonly plan: string;
  readonly ownerEmail: string;
  readonly ownerPassword?: string;
  readonly ownerPasswordFile?: string;
  readonly timeZone?: string;
  readonly language?: string;
  readonly json?: boolean;
}

interface Settings extends WorkspaceOptions {
  readonly name?: string;
  readonly idleClose?: string;
  readonly timeZone?: string;
  readonly language?: string;
}

const NAME = ['--name <name>', 'its name, 1 to 80 characters'] as const;
const TIME_ZONE = [
  '--time-zone <zone>',
  'in which its days and times are, as America/Manaus',
] as const;
const LANGUAGE = ['--language <tag>', 'of its public pages, as pt-BR or en-US'] as const;

/** `wms workspace`. A new workspace always gets an owner. */
export function workspaceCommands(program: Command): void {
  const workspace = program.command('workspace').description('tenants');
  createCommand(workspace);
  listCommand(workspace);
  aboutWorkspace(workspace, 'set-plan', 'move a workspace to another plan')
    .requiredOption('--plan <plan>', 'essencial, profissional or escala')
    .action(({ plan: wanted, ...options }: WorkspaceOptions & { readonly plan: string }) =>
      perform(
        options,
        async (ctx) => {
          const { plan } = await setPlan(ctx, wanted);
          return { workspace_id: ctx.organizationId, plan };
        },
        (set) => [`workspace ${set.workspace_id} is on the plan ${set.plan}`],
      ),
    );
  setCommand(workspace);
  verifyAuditCommand(workspace);
  optOutPhraseCommands(workspace);
}

function createCommand(workspace: Command): void {
  const creating = workspace
    .command('create')
    .description('create a workspace with its first owner, who joins by the link it prints')
    .requiredOption(...NAME)
    .requiredOption('--plan <plan>', 'essencial, profissional or escala')
    .requiredOption('--owner-email <email>', "the owner's e-mail address");
  passwordOptions(
    creating,
    'owner-password',
    'the password of an owner without an account, who is in then',
  )
    .option(...TIME_ZONE)
    .option(...LANGUAGE)
    .option('--json', 'print one JSON document')
    .action(({ json, ...options }: Create) =>
      withSession(async (session) => {
        const created = await create(session, options);
        createOutput(json).result(created, [
          `workspace ${created.workspace_id}`,
          `owner     ${created.owner_member_id}${comesIn(created)}`,
        ]);
      }),
    );
}

/** The first owner is in at once with a password, given here or their own, and joins by a link without one. */
async function create(
  { database, clock, baseUrl }: Session,
  { ownerPassword: words, ownerPasswordFile, ...options }: Omit<Create, 'json'>,
) {
  const ownerPassword = passwordOf(words, ownerPasswordFile);
  const links: string[] = [];
  const created = await createWorkspace(
    { database, wake: () => {} },
    { ...options, ownerPassword },
    {
      now: clock.now(),
      furnish: async (tx, ownerMemberId) => {
        if (ownerPassword === undefined)
          links.push(await newInvitation(tx, { baseUrl }, ownerMemberId));
      },
    },
  );
  return {
    workspace_id: created.workspaceId,
    owner_member_id: created.ownerMemberId,
    // Who joins by a link keeps the account they have, or makes one; nobody looked.
    owner_has_account: ownerPassword === undefined ? null : created.ownerHasAccount,
    invitation: links[0] ?? null,
  };
}

function comesIn({ owner_has_account, invitation }: Awaited<ReturnType<typeof create>>): string {
  if (invitation) return `, who joins within 7 days by ${invitation}`;
  return owner_has_account ? ', who has an account already and keeps its password' : '';
}

function listCommand(workspace: Command): void {
  workspace
    .command('list')
    .description('list the workspaces, oldest first')
    .option('--json', 'print one JSON document')
    .action(({ json }: { readonly json?: boolean }) =>
      withSession(async ({ database }) => {
        const workspaces = await asSystem(database, listWorkspaces);
        createOutput(json).result(
          workspaces,
          workspaces.length === 0
            ? ['no workspace yet: wms workspace create']
            : table(
                workspaces.map(({ workspace_id, plan, created_at, name }) => [
                  workspace_id,
                  plan,
                  created_at.toISOString(),
                  name,
                ]),
              ),
        );
      }),
    );
}

function setCommand(workspace: Command): void {
  aboutWorkspace(
    workspace,
    'set',
    'its name, time zone and language, and how its conversations are tended',
  )
    .option(...NAME)
    .option(
      '--idle-close <hours|off>',
      'close conversations after this many hours without a message, 1 to 720',
    )
    .option(...TIME_ZONE)
    .option(...LANGUAGE)
    .action(({ name, idleClose, timeZone, language, ...options }: Settings) =>
      perform(
        options,
        (ctx) =>
          changeWorkspace(ctx, {
            name,
            idle_close_hours: idleClose === undefined ? undefined : numberOrOff(idleClose),
            time_zone: timeZone,
            language,
          }),
        ({ name: called, idle_close_hours: hours, time_zone, language: tag }) => [
          `the workspace is called ${called}`,
          hours === null
            ? 'conversations stay open until someone closes them'
            : `conversations are closed after ${hours} hours without a message`,
          `days and times are those of ${time_zone}, public pages are in ${tag}`,
        ],
      ),
    );
}

function verifyAuditCommand(workspace: Command): void {
  aboutWorkspace(
    workspace,
    'verify-audit',
    'whether an entry of its audit log was changed or removed behind its back',
  ).action((options: WorkspaceOptions) =>
    perform(
      options,
      async ({ organizationId }, { database }) => {
        const { entries, brokenAt } = await verifyLog(database, organizationId);
        if (brokenAt !== null) process.exitCode = 1;
        return { workspace_id: organizationId, entries, broken_at: brokenAt };
      },
      ({ entries, broken_at: entry }) => [
        entry === null
          ? `all ${entries} entries of the audit log are as they were written`
          : `entry ${entry} of the audit log was changed or is missing; the ${entries} before it are as they were written`,
      ],
    ),
  );
}
