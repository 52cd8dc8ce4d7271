import { p } from '@mikro-orm/postgresql';

/** The columns of every workspace's record: its workspace, its id, and when it was created. */
export const tenantOwned = {
  id: p.text().primary(),
  organizationId: p.text(),
  createdAt: p.datetime(),
};

let switchedOff = false;

/** For tests only (`TENANT_FILTER=off`): proves that row level security holds without the filter. */
export function switchTenantFilter(to: 'on' | 'off'): void {
  switchedOff = to === 'off';
}

/**
 * On by default: a query without a workspace throws instead of reading everyone's rows. The same setting feeds row
 * level security, the second lock, in every transaction.
 */
export const tenantFilter = {
  tenant: {
    name: 'tenant',
    // Switched off it still reads its argument: by that the library knows what the setting holds.
    cond: ({ organizationId }: { organizationId: string }) =>
      switchedOff
        ? { $or: [{ organizationId }, { organizationId: { $ne: null } }] }
        : { organizationId },
    rls: { setting: 'app.organization' },
    default: true,
  },
};
