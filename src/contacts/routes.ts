import { deletedView } from '../http/fields.ts';
import { list, type Route, read, write } from '../http/route.ts';
import { type DeletionHook, deleteContact } from './deleting.ts';
import { mergeContacts } from './merging/merging.ts';
import {
  contactFilters,
  contactIdView,
  contactPatchBody,
  contactView,
  mergeBody,
  newContactBody,
} from './schema.ts';
import { createContact, getContact, listContacts, updateContact } from './service.ts';

const id = 'con_01JD8B6V0R5Q9T3XK2M7N4P1WZ';

const example = {
  id,
  name: 'Ana Souza',
  phone: '+5511987654321',
  email: 'ana@example.com',
  opted_out: false,
  created_at: '2026-11-20T12:00:00.000Z',
  opted_out_at: null,
  opt_out_source: null,
  blocked: false,
  owner_id: null,
  tags: ['VIP'],
  custom: { city: 'Campinas' },
  birth_date: '1990-04-12',
  birth_year_known: true,
  language: 'pt-BR',
  time_zone: null,
  notes: '',
  origin: 'import',
  created_via: 'api',
  identities: [{ type: 'phone', value: '+5511987654321', number_id: null, primary: true }],
  whatsapp_status: 'unknown',
  last_inbound_at: null,
  last_outbound_at: null,
  window_expires_at: null,
  updated_at: '2026-11-20T12:00:00.000Z',
};

export const contactRoutes: readonly Route[] = [
  list({
    path: '/v1/contacts',
    operationId: 'list_contacts',
    summary: 'List contacts, newest first',
    tag: 'Contacts',
    scope: 'contacts:read',
    query: contactFilters,
    item: contactView,
    example: { response: { data: [example], next_cursor: null } },
    handle: (ctx, { query, page }) => listContacts(ctx, query, page),
  }),
  write({
    method: 'POST',
    path: '/v1/contacts',
    operationId: 'create_contact',
    summary: 'Create a contact',
    tag: 'Contacts',
    scope: 'contacts:write',
    body: newContactBody,
    reply: contactView,
    status: 201,
    errors: ['duplicate', 'quota', 'unknown_member'],
    example: {
      request: { name: 'Ana Souza', phone: '+55 11 98765-4321', tags: ['VIP'] },
      response: example,
    },
    handle: (ctx, { body }) => createContact(ctx, body),
  }),
  read({
    path: '/v1/contacts/:id',
    operationId: 'get_contact',
    summary: 'Get one contact',
    tag: 'Contacts',
    scope: 'contacts:read',
    id: 'con',
    reply: contactView,
    example: { response: example },
    handle: (ctx, input) => getContact(ctx, input.id),
  }),
  write({
    method: 'PATCH',
    path: '/v1/contacts/:id',
    operationId: 'update_contact',
    summary: 'Change a contact; fields that are left out stay',
    tag: 'Contacts',
    scope: 'contacts:write',
    id: 'con',
    body: contactPatchBody,
    reply: contactIdView,
    status: 200,
    errors: ['duplicate', 'unknown_member'],
    example: { request: { phone: '+55 11 98765-4321' }, response: { id } },
    handle: (ctx, input) => updateContact(ctx, input.id, input.body),
  }),
  write({
    method: 'POST',
    path: '/v1/contacts/:id/merge',
    operationId: 'merge_contacts',
    summary: 'Merge two contacts; the one in the path stays',
    tag: 'Contacts',
    scope: 'contacts:write',
    permission: 'contacts.delete',
    id: 'con',
    body: mergeBody,
    reply: contactView,
    status: 200,
    errors: ['unknown_contact'],
    example: { request: { contact_id: 'con_01JD8B6V0R5Q9T3XK2M7N4P1X0' }, response: example },
    handle: (ctx, { id: survivor, body }) => mergeContacts(ctx, survivor, body.contact_id),
  }),
];

/** A separate list, because the composition passes in what other features do about a deletion. */
export const contactDeletion = (...hooks: readonly DeletionHook[]): Route =>
  write({
    method: 'DELETE',
    path: '/v1/contacts/:id',
    operationId: 'delete_contact',
    summary: 'Delete a person: the contact, the conversations and their messages',
    tag: 'Contacts',
    scope: 'contacts:write',
    permission: 'contacts.delete',
    id: 'con',
    reply: deletedView,
    status: 200,
    example: { response: { id, deleted: true } },
    handle: (ctx, input) => deleteContact(ctx, input.id, hooks),
  });
