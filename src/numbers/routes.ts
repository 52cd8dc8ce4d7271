import { list, type Route, read } from '../http/route.ts';
import { getNumber, listNumbers } from './reading.ts';
import { numberView } from './schema.ts';

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
];
