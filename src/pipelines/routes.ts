import { list, type Route, read, write } from '../http/route.ts';
import { exampleDeal, exampleNewDeal, examplePipeline } from './examples.ts';
import { getDeal, getPipeline, listDeals, listPipelines } from './reading.ts';
import { dealFilters, dealView, moveDealBody, newDealBody, pipelineView } from './schema.ts';
import { createDeal, moveDeal } from './service.ts';

const shared = { tag: 'Pipelines' } as const;

export const pipelineRoutes: readonly Route[] = [
  list({
    ...shared,
    path: '/v1/pipelines',
    operationId: 'list_pipelines',
    summary: 'List pipelines with their stages, newest first.',
    scope: 'pipelines:read',
    item: pipelineView,
    example: { response: examplePipeline },
    handle: (ctx, { page }) => listPipelines(ctx, page),
  }),
  read({
    ...shared,
    path: '/v1/pipelines/:id',
    operationId: 'get_pipeline',
    summary: 'Read a pipeline with its stages.',
    scope: 'pipelines:read',
    id: 'pip',
    reply: pipelineView,
    example: { response: examplePipeline },
    handle: (ctx, { id }) => getPipeline(ctx, id),
  }),
  list({
    ...shared,
    path: '/v1/pipelines/:id/deals',
    operationId: 'list_deals',
    summary: 'List the deals of a pipeline, newest first.',
    scope: 'pipelines:read',
    id: 'pip',
    query: dealFilters,
    item: dealView,
    example: { response: exampleDeal },
    handle: (ctx, { id, query, page }) => listDeals(ctx, id, query, page),
  }),
  write({
    ...shared,
    method: 'POST',
    path: '/v1/deals',
    operationId: 'create_deal',
    summary: 'Create a deal in a stage.',
    scope: 'pipelines:write',
    status: 201,
    body: newDealBody,
    reply: dealView,
    errors: [
      'duplicate',
      'unknown_stage',
      'unknown_contact',
      'unknown_conversation',
      'unknown_member',
    ],
    example: { request: exampleNewDeal, response: exampleDeal },
    handle: (ctx, { body }) => createDeal(ctx, body),
  }),
  read({
    ...shared,
    path: '/v1/deals/:id',
    operationId: 'get_deal',
    summary: 'Read a deal.',
    scope: 'pipelines:read',
    id: 'dea',
    reply: dealView,
    example: { response: exampleDeal },
    handle: (ctx, { id }) => getDeal(ctx, id),
  }),
  write({
    ...shared,
    method: 'POST',
    path: '/v1/deals/:id/move',
    operationId: 'move_deal',
    summary:
      'Move a deal to another stage of its pipeline. Won and lost close it, back opens it again.',
    scope: 'pipelines:write',
    id: 'dea',
    status: 200,
    body: moveDealBody,
    reply: dealView,
    errors: ['duplicate', 'unknown_stage'],
    example: { request: { stage_id: exampleNewDeal.stage_id }, response: exampleDeal },
    handle: (ctx, { id, body }) => moveDeal(ctx, id, body),
  }),
];
