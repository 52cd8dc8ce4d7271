import { list, type Route } from '../http/route.ts';
import { listGroups } from './reading.ts';
import { groupFilters, groupView } from './schema.ts';

export const groupRoutes: readonly Route[] = [
  list({
    path: '/v1/groups',
    operationId: 'list_groups',
    summary: 'List the groups that the numbers are or were in',
    tag: 'Groups',
    scope: 'groups:read',
    query: groupFilters,
    item: groupView,
    example: {
      response: {
        id: 'grp_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
        name: 'Clientes do bairro',
        description: '',
        members: 7,
        number_id: 'num_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
        conversation_id: 'cnv_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
        left_at: null,
        created_at: '2026-11-20T12:00:00.000Z',
      },
    },
    handle: (ctx, { query, page }) => listGroups(ctx, query, page),
  }),
];
