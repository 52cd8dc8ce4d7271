import { list, type Route, read, write } from '../http/route.ts';
import { updateNumber } from './changing.ts';
import { getNumber, listNumbers } from './reading.ts';
import { numberPatch, numberView } from './schema.ts';

const example = {
  id: 'num_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  name: 'Vendas',
  phone: '+551130001000',
  status: 'connected',
  default_team_id: null,
  created_at: '2026-11-20T12:00:00.000Z',
  team_ids: [],
  stage_id: null,
  hours: null,
  provider: 'cloud_api',
  status_reason: null,
  status_changed_at: '2026-11-20T12:00:00.000Z',
  capabilities: {
    templates: true,
    window_24h: true,
    groups: true,
    group_max: 8,
    read_receipts: true,
  },
};

const TEAM = 'team_01JD8B6V0R5Q9T3XK2M7N4P1WZ';
const WORKDAY = { open: true, from: '09:00', to: '18:00' };
const CLOSED = { open: false, from: '00:00', to: '00:00' };

export const numberRoutes: readonly Route[] = [
  list({
    path: '/v1/numbers',
    operationId: 'list_numbers',
    summary: 'List WhatsApp numbers, newest first',
    tag: 'Numbers',
    scope: 'numbers:read',
    item: numberView,
    example: { response: { data: [example], next_cursor: null } },
    handle: (ctx, { page }) => listNumbers(ctx, page),
  }),
  read({
    path: '/v1/numbers/:id',
    operationId: 'get_number',
    summary: 'Get one WhatsApp number',
    tag: 'Numbers',
    scope: 'numbers:read',
    id: 'num',
    reply: numberView,
    example: { response: example },
    handle: (ctx, input) => getNumber(ctx, input.id),
  }),
  write({
    method: 'PATCH',
    path: '/v1/numbers/:id',
    operationId: 'update_number',
    summary: 'Change the name, teams, default team, stage or hours, but not the connection',
    tag: 'Numbers',
    scope: 'numbers:write',
    id: 'num',
    body: numberPatch,
    reply: numberView,
    status: 200,
    errors: ['team_not_in_number', 'unknown_stage', 'unknown_team'],
    example: {
      request: {
        name: 'Vendas',
        team_ids: [TEAM],
        default_team_id: TEAM,
        stage_id: null,
        hours: [...Array(5).fill(WORKDAY), CLOSED, CLOSED],
      },
      response: {
        ...example,
        default_team_id: TEAM,
        team_ids: [TEAM],
        hours: [...Array(5).fill(WORKDAY), CLOSED, CLOSED],
      },
    },
    handle: (ctx, input) => updateNumber(ctx, input.id, input.body),
  }),
];
