import { list, type Route, read } from '../http/route.ts';
import { getGroup, listGroups } from './reading.ts';
import { groupFilters, groupView } from './schema.ts';

const example = {
  id: 'grp_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  name: 'Clientes do bairro',
  description: '',
  members: 7,
  number_id: 'num_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  conversation_id: 'cnv_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  left_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
};

export const groupRoutes: readonly Route[] = [
  list({
    path: '/v1/groups',
    operationId: 'list_groups',
    summary: 'List the groups that the numbers are or were in',
    tag: 'Groups',
    scope: 'groups:read',
    query: groupFilters,
    item: groupView,
    example: { response: example },
    handle: (ctx, { query, page }) => listGroups(ctx, query, page),
  }),
  read({
    path: '/v1/groups/:id',
    operationId: 'get_group',
    summary: 'Get one group',
    tag: 'Groups',
    scope: 'groups:read',
    id: 'grp',
    reply: groupView,
    example: { response: example },
    handle: (ctx, { id }) => getGroup(ctx, id),
  }),
];
