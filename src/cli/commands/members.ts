import type { Command } from 'commander';
import type { Visibility } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { MINUTE_MS } from '../../durations.ts';
import {
  type MemberPatch,
  reactivateMember,
  suspendMember,
  updateMember,
} from '../../members/changing.ts';
import type { Member } from '../../members/entities.ts';
import { setPresence } from '../../members/presence.ts';
import { listMembers } from '../../members/reading.ts';
import { removeMember } from '../../members/removing.ts';
import { addMember, type NewMember } from '../../members/service.ts';
import { newInvitation, renewInvitation } from '../../people/invitations.ts';
import { memberResetLink } from '../../people/resets.ts';
import { table, wholeNumber, wholeNumberUpTo } from '../output.ts';
import { passwordOf, passwordOptions } from '../passwords.ts';
import type { Session } from '../session.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Add extends WorkspaceOptions {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly password?: string;
  readonly passwordFile?: string;
  readonly visibility?: Visibility;
  readonly team: readonly string[];
}

interface Change extends WorkspaceOptions {
  readonly name?: string;
  readonly role?: Role;
  readonly visibility?: Visibility;
  readonly team?: readonly string[];
  readonly option?: readonly string[];
  readonly capacity?: string;
}

interface Online extends WorkspaceOptions {
  readonly minutes: string;
}

const ID = ['<member>', 'the id of the member, mem_…'] as const;
const VISIBILITY = ['--visibility <visibility>', 'workspace, teams or assigned'] as const;

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** `wms member`: adds, changes and removes people of a workspace. */
export function memberCommands(program: Command): void {
  const member = program.command('member').description('people of a workspace');
  addingAndListing(member);
  givingLinks(member);
  changing(member);
  comingAndGoing(member);
}

function addingAndListing(member: Command): void {
  const adding = aboutWorkspace(
    member,
    'add',
    'add a person, who joins by the link it prints; everyone but a viewer takes a seat of the plan',
  )
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'name, 1 to 120 characters')
    .requiredOption('--role <role>', 'owner, admin, agent or viewer');
  passwordOptions(adding, 'password', 'the password of somebody without an account, who is in then')
    .option(...VISIBILITY)
    .option('--team <name>', 'a team, found or created by name; may be repeated', collect, [])
    .action((options: Add) =>
      perform(
        options,
        (ctx, session) => add(ctx, session, personOf(options)),
        ({ member_id, invitation }) => [
          `member ${member_id}`,
          ...(invitation ? [`${joins(options)} within 7 days by ${invitation}`] : []),
        ],
      ),
    );
  aboutWorkspace(member, 'list', 'everyone in a workspace, newest first').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => all(ctx, listMembers),
        (members) =>
          table([
            ['ID', 'ROLE', 'STATUS', 'SEES', 'NAME', 'E-MAIL'],
            ...members.map((one) => [
              one.id,
              one.role,
              one.online ? 'online' : one.status,
              one.visibility,
              one.name,
              one.email,
            ]),
          ]),
      ),
  );
}

function givingLinks(member: Command): void {
  aboutWorkspace(member, 'invite', 'print a new link by which an invited person joins')
    .argument(...ID)
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx, session) => invite(ctx, session, id),
        ({ invitation }) => [`joins within 7 days by ${invitation}; the link before it has ended`],
      ),
    );
  aboutWorkspace(
    member,
    'reset-password',
    'print a link by which a person who cannot sign in chooses a new password',
  )
    .argument(...ID)
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        async (ctx, session) => ({
          member_id: id,
          link: await memberResetLink(ctx, session, id),
        }),
        ({ link }) => [`chooses a new password within an hour, once, by ${link}`],
      ),
    );
}

const invite = (ctx: Context, { baseUrl }: Session, id: string) =>
  transact(ctx, async (tx) => {
    const { member, link } = await renewInvitation(tx, { baseUrl }, id);
    return { member_id: member.id, invitation: link };
  });

const joins = ({ password, passwordFile }: Add): string =>
  (password ?? passwordFile) === undefined ? 'joins' : 'has an account already, and joins';

function personOf({ email, name, role, visibility, team, ...given }: Add): NewMember {
  const password = passwordOf(given.password, given.passwordFile);
  const who = { email, name, role, teams: team };
  return { ...who, ...(visibility && { visibility }), ...(password !== undefined && { password }) };
}

/** Who has an account, or is given no password, comes in by accepting: by the link, signed in as themselves. */
const add = (ctx: Context, { baseUrl }: Session, person: NewMember) =>
  transact(ctx, async (tx) => {
    const { id, status } = await addMember(tx, person);
    const invitation = status === 'invited' ? await newInvitation(tx, { baseUrl }, id) : null;
    return { member_id: id, status, invitation };
  });

function changing(member: Command): void {
  aboutWorkspace(member, 'change', 'change a person; what is not named stays')
    .argument(...ID)
    .option('--name <name>', 'name, 1 to 120 characters')
    .option('--role <role>', 'owner, admin, agent or viewer')
    .option(...VISIBILITY)
    .option('--team <name>', 'one of all the teams from now on; may be repeated', collect)
    .option('--option <permission>', 'campaigns.create or campaigns.send, for an agent', collect)
    .option('--capacity <number>', 'open conversations at once, 0 to 500')
    .action((id: string, options: Change) =>
      perform(options, (ctx) => updateMember(ctx, id, patchOf(options)).then(shown), said),
    );
  const simple: [string, string, (ctx: Context, id: string) => Promise<Member>][] = [
    ['suspend', 'end every access at once, and free the seat', suspendMember],
    ['reactivate', 'let a suspended person in again', reactivateMember],
  ];
  for (const [name, description, change] of simple)
    aboutWorkspace(member, name, description)
      .argument(...ID)
      .action((id: string, options: WorkspaceOptions) =>
        perform(options, (ctx) => change(ctx, id).then(shown), said),
      );
  aboutWorkspace(member, 'remove', 'the person leaves; what was assigned to them waits for another')
    .argument(...ID)
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => removeMember(ctx, id).then(() => ({ member_id: id, removed: true })),
        () => [`member ${id} has left`],
      ),
    );
}

function comingAndGoing(member: Command): void {
  aboutWorkspace(member, 'online', 'the person is there: waiting conversations may come')
    .argument(...ID)
    .option('--minutes <minutes>', 'for how long', '60')
    .action((id: string, options: Online) =>
      perform(
        options,
        (ctx) => setPresence(ctx, id, { online: true, forMs: durationOf(options) }).then(shown),
        said,
      ),
    );
  aboutWorkspace(member, 'offline', 'the person is away')
    .argument(...ID)
    .action((id: string, options: WorkspaceOptions) =>
      perform(options, (ctx) => setPresence(ctx, id, { online: false }).then(shown), said),
    );
}

const durationOf = ({ minutes }: Online): number =>
  wholeNumberUpTo(9_999, '--minutes', minutes) * MINUTE_MS;

/** The use case reports what is wrong in it, by field. */
const patchOf = ({ name, role, visibility, team, option, capacity }: Change): MemberPatch => ({
  ...(name === undefined ? {} : { name }),
  ...(role === undefined ? {} : { role }),
  ...(visibility === undefined ? {} : { visibility }),
  ...(team === undefined ? {} : { teams: [...team] }),
  ...(option === undefined ? {} : { options: option as NonNullable<MemberPatch['options']> }),
  ...(capacity === undefined ? {} : { capacity: wholeNumber(capacity) }),
});

const shown = ({ id, role, status, visibility, capacity, onlineUntil }: Member) => ({
  member_id: id,
  role,
  status,
  visibility,
  capacity,
  online_until: onlineUntil?.toISOString() ?? null,
});

const said = ({ member_id, role, status }: ReturnType<typeof shown>): string[] => [
  `member ${member_id} is ${status}, ${role}`,
];
