import { list, type Route } from '../http/route.ts';
import { templateFilters, templateView } from './schema.ts';
import { listTemplates } from './service.ts';

export const templateRoutes: readonly Route[] = [
  list({
    path: '/v1/templates',
    operationId: 'list_templates',
    summary: 'List the approved templates of the numbers, by number, name and language',
    tag: 'Messages',
    scope: 'numbers:read',
    query: templateFilters,
    item: templateView,
    example: {
      response: {
        name: 'pedido_pronto',
        language: 'pt_BR',
        category: 'UTILITY',
        number_id: 'num_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
        body: 'Olá {{1}}, seu pedido {{2}} está pronto.',
        parameters: 2,
      },
    },
    handle: (ctx, { query, page }) => listTemplates(ctx, query, page),
  }),
];
