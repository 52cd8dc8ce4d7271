import { deletedView } from '../http/fields.ts';
import { list, type Route, read, write } from '../http/route.ts';
import { listSegmentContacts, listSegments, readSegment } from './reading.ts';
import {
  createdView,
  matchingView,
  newSegmentBody,
  previewBody,
  previewView,
  segmentView,
} from './schema.ts';
import { createSegment, deleteSegment, previewSegment } from './service.ts';

const shared = { tag: 'Segments' } as const;
const ofOne = { ...shared, id: 'seg' } as const;

const rules = {
  all: [
    { field: 'tag', op: 'has_any', value: ['VIP'] },
    { field: 'last_inbound_at', op: 'in_last', value: 'P90D' },
    { not: { field: 'custom.city', op: 'eq', value: 'Recife' } },
  ],
};

const SEEN =
  'Deals, conversations, runs and campaigns count as far as the caller sees them. To ask about them, a token also needs the scope that reads them: `pipelines:read` for `stage`, `pipeline` and `deal.…`, `conversations:read` for `number_id`, `team_id`, `conversation.status` and `window_open`, `campaigns:read`, `forms:read` and `automations:read` for `campaign.…`, `form.submitted` and `automation.run`.';

const contact = {
  id: 'con_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  name: 'Ana Souza',
  phone: '+5511987654321',
  email: '',
  opted_out: false,
  created_at: '2026-11-20T12:00:00.000Z',
};

const segment = {
  id: 'seg_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  name: 'Clientes VIP',
  rules,
  count: 128,
  counted_at: '2026-11-20T12:00:00.000Z',
  used_by: { campaigns: 1, reminders: 0, automations: 0 },
  status: 'ready',
  created_at: '2026-11-20T12:00:00.000Z',
};

export const segmentRoutes: readonly Route[] = [
  write({
    ...shared,
    method: 'POST',
    path: '/v1/segments/rules',
    operationId: 'create_segment',
    summary: 'Create a segment from rules.',
    note: SEEN,
    scope: 'segments:write',
    apiKeys: false,
    body: newSegmentBody,
    reply: createdView,
    status: 201,
    errors: ['segment_too_heavy'],
    example: {
      request: { name: segment.name, rules },
      response: { id: segment.id, count: segment.count },
    },
    handle: (ctx, { body }) => createSegment(ctx, body),
  }),
  write({
    ...shared,
    method: 'POST',
    path: '/v1/segments/preview',
    operationId: 'preview_segment',
    summary: 'Count the contacts that match rules, and show some of them. Nothing is stored.',
    note: SEEN,
    scope: 'segments:read',
    body: previewBody,
    reply: previewView,
    status: 200,
    errors: ['segment_too_heavy'],
    example: { request: { rules }, response: { count: 128, sample: [contact] } },
    handle: (ctx, { body }) => previewSegment(ctx, body.rules),
  }),
  list({
    ...shared,
    path: '/v1/segments',
    operationId: 'list_segments',
    summary: 'List segments, newest first.',
    scope: 'segments:read',
    item: segmentView,
    example: { response: segment },
    handle: (ctx, { page }) => listSegments(ctx, page),
  }),
  read({
    ...ofOne,
    path: '/v1/segments/:id',
    operationId: 'get_segment',
    summary: 'Read a segment, counted now.',
    scope: 'segments:read',
    reply: segmentView,
    example: { response: segment },
    handle: (ctx, { id }) => readSegment(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'DELETE',
    path: '/v1/segments/:id',
    operationId: 'delete_segment',
    summary: 'Delete a segment that nothing uses any more.',
    scope: 'segments:write',
    status: 200,
    reply: deletedView,
    errors: ['in_use'],
    example: { response: { id: segment.id, deleted: true } },
    handle: async (ctx, { id }) => {
      await deleteSegment(ctx, id);
      return { id, deleted: true as const };
    },
  }),
  list({
    ...ofOne,
    path: '/v1/segments/:id/contacts',
    operationId: 'list_segment_contacts',
    summary: 'List the contacts that match now, newest first.',
    scope: 'segments:read',
    item: matchingView,
    errors: ['segment_too_heavy'],
    example: { response: contact },
    handle: (ctx, { id, page }) => listSegmentContacts(ctx, id, page),
  }),
];
