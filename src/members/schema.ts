import { z } from 'zod';
import { ROLES } from '../access/roles.ts';
import { VISIBILITIES } from '../access/visibility.ts';
import { MEMBER_STATUSES } from './rules.ts';

/** Design decisions §17. */
export const memberView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    seat: z.boolean(),
    visibility: z.enum(VISIBILITIES),
    team_ids: z.array(z.string()),
    status: z.enum(MEMBER_STATUSES),
    online: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Member' });

/** Specification, Team. */
export const teamView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    member_ids: z.array(z.string()),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Team' });

export type MemberView = z.input<typeof memberView>;
export type TeamView = z.input<typeof teamView>;
