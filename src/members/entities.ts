import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Visibility } from '../access/actor.ts';
import type { PermissionOption, Role } from '../access/roles.ts';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { MemberStatus } from './rules.ts';

export const Member = defineEntity({
  name: 'Member',
  tableName: 'members',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    email: p.text(),
    role: p.text().$type<Role>(),
    visibility: p.text().$type<Visibility>(),
    status: p.text().$type<MemberStatus>(),
    /** The person across workspaces, `usr_…`. */
    userId: p.text(),
    /** Null until the person first signs in. */
    joinedAt: p.datetime().nullable(),
    options: p.array().$type<PermissionOption[]>(),
    capacity: p.integer(),
    onlineUntil: p.datetime().nullable(),
    /** Not null for somebody who said that they are away. */
    awaySince: p.datetime().nullable(),
  },
});

export const Team = defineEntity({
  name: 'Team',
  tableName: 'teams',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    autoAssign: p.boolean(),
    returnAfterMinutes: p.integer().nullable(),
  },
});

export type Member = InferEntity<typeof Member>;
export type Team = InferEntity<typeof Team>;
