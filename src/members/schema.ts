import { z } from 'zod';
import { VISIBILITIES } from '../access/actor.ts';
import { ROLES } from '../access/roles.ts';
import { MEMBER_STATUSES } from './rules.ts';

/** Design decisions §17. */
export const memberView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    seat: z.boolean().meta({
      description:
        'Whether one of the seats of the plan is taken: not by a Viewer, nor while suspended.',
    }),
    visibility: z.enum(VISIBILITIES).meta({
      description:
        "Which conversations the person sees: all; those of the teams, the person's own, and those of the teams' numbers that nobody has; or only the person's own.",
    }),
    team_ids: z.array(z.string()),
    status: z.enum(MEMBER_STATUSES),
    online: z
      .boolean()
      .meta({ description: 'Whether the person is there to be given conversations.' }),
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
