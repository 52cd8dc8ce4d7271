import { list, type Route, read, write } from '../http/route.ts';
import { cancelReminder } from './cancelling.ts';
import {
  exampleNewReminder,
  exampleReminder,
  exampleRun,
  exampleRunRecipient,
} from './examples.ts';
import { getReminder, listReminders, listRunRecipients, listRuns } from './reading.ts';
import {
  newReminderBody,
  reminderFilters,
  reminderPatchBody,
  reminderView,
  runRecipientFilters,
  runRecipientView,
  runView,
} from './schema.ts';
import { changeReminder, createReminder } from './service.ts';

const shared = { tag: 'Reminders' } as const;
/** A route whose path names one reminder. */
const ofOne = { ...shared, id: 'rem' } as const;
const refusals = [
  'unknown_contact',
  'unknown_group',
  'unknown_number',
  'unknown_segment',
  'segment_too_heavy',
  'oauth_required',
] as const;

export const reminderRoutes: readonly Route[] = [
  list({
    ...shared,
    path: '/v1/reminders',
    operationId: 'list_reminders',
    summary: 'List reminders, newest first.',
    scope: 'reminders:read',
    query: reminderFilters,
    item: reminderView,
    example: { response: exampleReminder },
    handle: (ctx, { query, page }) => listReminders(ctx, query, page),
  }),
  write({
    ...shared,
    method: 'POST',
    path: '/v1/reminders',
    operationId: 'create_reminder',
    summary: 'Create a reminder. It runs by itself from then on.',
    scope: 'reminders:write',
    status: 201,
    body: newReminderBody,
    reply: reminderView,
    errors: ['not_found', 'quota', ...refusals],
    example: { request: exampleNewReminder, response: exampleReminder },
    handle: (ctx, { body }) => createReminder(ctx, body),
  }),
  read({
    ...ofOne,
    path: '/v1/reminders/:id',
    operationId: 'get_reminder',
    summary: 'Read a reminder.',
    scope: 'reminders:read',
    reply: reminderView,
    example: { response: exampleReminder },
    handle: (ctx, { id }) => getReminder(ctx, id),
  }),
  write({
    ...ofOne,
    method: 'PATCH',
    path: '/v1/reminders/:id',
    operationId: 'update_reminder',
    summary: 'Change an active reminder. Fields that are left out stay as they are.',
    scope: 'reminders:write',
    status: 200,
    body: reminderPatchBody,
    reply: reminderView,
    errors: ['invalid_state', ...refusals],
    example: { request: { time: '10:00' }, response: exampleReminder },
    handle: (ctx, { id, body }) => changeReminder(ctx, id, body),
  }),
  write({
    ...ofOne,
    method: 'DELETE',
    path: '/v1/reminders/:id',
    operationId: 'cancel_reminder',
    summary: 'Cancel a reminder. Its record and its runs stay.',
    scope: 'reminders:write',
    status: 200,
    reply: reminderView,
    errors: ['invalid_state'],
    example: {
      response: {
        ...exampleReminder,
        status: 'cancelled',
        next_run_at: null,
        cancel_reason: 'requested',
      },
    },
    handle: (ctx, { id }) => cancelReminder(ctx, id),
  }),
  list({
    ...ofOne,
    path: '/v1/reminders/:id/runs',
    operationId: 'list_reminder_runs',
    summary: 'List the runs of a reminder, newest first.',
    scope: 'reminders:read',
    item: runView,
    example: { response: exampleRun },
    handle: (ctx, { id, page }) => listRuns(ctx, id, page),
  }),
  list({
    ...ofOne,
    part: 'rrn',
    path: '/v1/reminders/:id/runs/:run_id/recipients',
    operationId: 'list_reminder_run_recipients',
    summary: 'List whom a run of a reminder is for and what became of each, newest contact first.',
    scope: 'reminders:read',
    query: runRecipientFilters,
    item: runRecipientView,
    example: { response: exampleRunRecipient },
    handle: (ctx, { id, partId, query, page }) =>
      listRunRecipients(ctx, { reminderId: id, runId: partId, ...query }, page),
  }),
];
