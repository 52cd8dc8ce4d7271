import { list, type Route, read } from '../http/route.ts';
import { getMember, getTeam, listMembers, listTeams } from './reading.ts';
import { memberView, teamView } from './schema.ts';

const memberExample = {
  id: 'mem_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  name: 'Bia Ramos',
  email: 'bia@example.com',
  role: 'agent',
  seat: true,
  visibility: 'teams',
  team_ids: ['team_01JD8B6V0R5Q9T3XK2M7N4P1WZ'],
  status: 'active',
  online: true,
  created_at: '2026-11-20T12:00:00.000Z',
};

const teamExample = {
  id: 'team_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  name: 'Vendas',
  member_ids: [memberExample.id],
  created_at: '2026-11-20T12:00:00.000Z',
};

/** Tokens can only read people; no scope allows managing them (specification, Flow 3). */
export const memberRoutes: readonly Route[] = [
  list({
    path: '/v1/members',
    operationId: 'list_members',
    summary: 'List the members of the workspace, newest first',
    tag: 'Members and teams',
    scope: 'members:read',
    item: memberView,
    example: { response: { data: [memberExample], next_cursor: null } },
    handle: (ctx, { page }) => listMembers(ctx, page),
  }),
  read({
    path: '/v1/members/:id',
    operationId: 'get_member',
    summary: 'Get one member',
    tag: 'Members and teams',
    scope: 'members:read',
    id: 'mem',
    reply: memberView,
    example: { response: memberExample },
    handle: (ctx, { id }) => getMember(ctx, id),
  }),
  list({
    path: '/v1/teams',
    operationId: 'list_teams',
    summary: 'List teams, newest first',
    tag: 'Members and teams',
    scope: 'members:read',
    item: teamView,
    example: { response: { data: [teamExample], next_cursor: null } },
    handle: (ctx, { page }) => listTeams(ctx, page),
  }),
  read({
    path: '/v1/teams/:id',
    operationId: 'get_team',
    summary: 'Get one team',
    tag: 'Members and teams',
    scope: 'members:read',
    id: 'team',
    reply: teamView,
    example: { response: teamExample },
    handle: (ctx, { id }) => getTeam(ctx, id),
  }),
];
