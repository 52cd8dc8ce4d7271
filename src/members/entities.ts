import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { MemberStatus, Role, Visibility } from './rules.ts';

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
    passwordHash: p.text().nullable(),
  },
});

export const Team = defineEntity({
  name: 'Team',
  tableName: 'teams',
  filters: tenantFilter,
  properties: { ...tenantOwned, name: p.text() },
});

export type Member = InferEntity<typeof Member>;
export type Team = InferEntity<typeof Team>;
