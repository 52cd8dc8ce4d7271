import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';

export const Member = defineEntity({
  name: 'Member',
  tableName: 'members',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    email: p.text(),
    role: p.text().$type<'owner' | 'admin' | 'agent' | 'viewer'>(),
    visibility: p.text().$type<'workspace' | 'teams' | 'assigned'>(),
    status: p.text().$type<'invited' | 'active' | 'suspended'>(),
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
