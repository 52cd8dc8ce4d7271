import { PERMISSIONS, type Permission } from './permissions.ts';

/** Roles of a member (specification; Agent is design decisions §17). */
export const ROLES = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** A Viewer needs no seat, and no app can act for one (specification). */
export const holdsSeat = (role: Role): boolean => role !== 'viewer';

const READING = PERMISSIONS.filter(
  (name) => name.endsWith('.read') && name !== 'developers.read' && name !== 'audit.read',
);

const WORKING: readonly Permission[] = [
  'contacts.write',
  'conversations.reply',
  'conversations.assign',
  'conversations.close',
  'groups.send',
  'pipelines.move',
  'reminders.create',
];

const OWNING: readonly Permission[] = ['billing.manage', 'workspace.delete'];

/** What each role may do (design decisions §17). */
const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS.filter((name) => !OWNING.includes(name)),
  agent: [...READING, ...WORKING],
  viewer: READING,
};

/** Permissions that can be turned on for individual Agents. */
export const PERMISSION_OPTIONS = ['campaigns.create', 'campaigns.send'] as const;
export type PermissionOption = (typeof PERMISSION_OPTIONS)[number];

/** A member's permissions: those of the role, and for an Agent also the ones turned on individually. */
export const permissionsOf = (
  role: Role,
  options: readonly PermissionOption[],
): ReadonlySet<Permission> =>
  new Set([...ROLE_PERMISSIONS[role], ...(role === 'agent' ? options : [])]);
