import type { Permission } from './permissions.ts';

/** The specification's scopes, and the permission that a member needs for each (OAuth). */
const SCOPES = {
  'numbers:read': 'numbers.read',
  'numbers:write': 'numbers.manage',
  'contacts:read': 'contacts.read',
  'contacts:write': 'contacts.write',
  'conversations:read': 'conversations.read',
  'conversations:write': 'conversations.assign',
  'messages:read': 'conversations.read',
  'messages:write': 'conversations.reply',
  'groups:read': 'groups.read',
  'groups:write': 'groups.send',
  'pipelines:read': 'pipelines.read',
  'pipelines:write': 'pipelines.move',
  'reminders:read': 'reminders.read',
  'reminders:write': 'reminders.create',
  'automations:read': 'automations.read',
  'automations:write': 'automations.activate',
  'webhooks:read': 'developers.read',
  'webhooks:write': 'developers.manage',
  'campaigns:read': 'campaigns.read',
  'campaigns:write': 'campaigns.create',
  'campaigns:send': 'campaigns.send',
  'forms:read': 'forms.read',
  'forms:write': 'forms.write',
  'segments:read': 'contacts.read',
  'segments:write': 'contacts.write',
  'members:read': 'members.read',
} as const satisfies Record<string, Permission>;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as readonly Scope[];

/** Whether it is one of the specification's scopes; those of OpenID Connect (`openid`) are not. */
export const isScope = (name: string): name is Scope => Object.hasOwn(SCOPES, name);

/** The permission that a member needs for the scope. */
export const permissionOf = (scope: Scope): Permission => SCOPES[scope];
