import { list, type Route, read, write } from '../http/route.ts';
import { createLink, type LinkParts } from './links.ts';
import {
  formFilters,
  formIdView,
  formPatchBody,
  formView,
  linkBody,
  linkView,
  newFormBody,
  publishedView,
  submissionFilters,
  submissionView,
} from './schema.ts';
import {
  createForm,
  getForm,
  listForms,
  listSubmissions,
  publishForm,
  unpublishForm,
  updateForm,
} from './service.ts';

const id = 'frm_01KAH8Y3V8Q2M4N6P8R0S2T4V6';
const contactId = 'con_01JD8B6V0R5Q9T3XK2M7N4P1WZ';
const url = `https://api.example.com/f/${id}`;

const request = {
  title: 'Cadastro',
  description: 'Leva um minuto.',
  fields: [
    { type: 'text', label: 'Nome completo', required: true, save_to: 'name', options: [] },
    { type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone', options: [] },
    {
      type: 'multi_select',
      label: 'Interesses',
      required: false,
      save_to: 'custom.interesses',
      options: ['Pães', 'Bolos'],
    },
    {
      type: 'consent',
      label: 'Quero receber novidades por WhatsApp',
      required: false,
      save_to: '',
      options: [],
    },
  ],
  thanks: null,
  tag: 'site',
  automation: null,
};

const keys = ['nome_completo', 'whatsapp', 'interesses', 'quero_receber_novidades_por_whatsapp'];

const example = {
  id,
  ...request,
  fields: request.fields.map((field, i) => ({ ...field, key: keys[i] })),
  status: 'published',
  version: 1,
  personal_link: false,
  url,
  created_by: { type: 'member', id: 'mem_01JD8B6V0R5Q9T3XK2M7N4P1WZ', name: 'Ana Souza' },
  published_at: '2026-11-20T12:05:00.000Z',
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:05:00.000Z',
};

const submission = {
  id: 'sub_01KAH9B2D4F6H8J0K2M4N6P8R0',
  contact_id: contactId,
  answers: {
    nome_completo: { label: 'Nome completo', type: 'text', value: 'Ana Souza' },
    whatsapp: { label: 'WhatsApp', type: 'phone', value: '+5511987654321' },
    interesses: { label: 'Interesses', type: 'multi_select', value: ['Pães'] },
  },
  outcome: 'contact_created',
  created_at: '2026-11-20T13:00:00.000Z',
  run_id: null,
  form_version: 1,
  conflict_contact_id: null,
};

const shared = { tag: 'Forms' } as const;
const ofOne = { ...shared, id: 'frm' } as const;

const drafting = ({ baseUrl }: LinkParts): readonly Route[] => [
  list({
    ...shared,
    path: '/v1/forms',
    operationId: 'list_forms',
    summary: 'List forms, newest first',
    scope: 'forms:read',
    query: formFilters,
    item: formView,
    example: { response: { data: [example], next_cursor: null } },
    handle: (ctx, { query, page }) => listForms(ctx, query, page, baseUrl),
  }),
  write({
    ...shared,
    method: 'POST',
    path: '/v1/forms',
    operationId: 'create_form',
    summary: 'Create a form as a draft; publish_form makes it public',
    scope: 'forms:write',
    apiKeys: false,
    body: newFormBody,
    reply: formIdView,
    status: 201,
    errors: ['form_without_identity', 'unknown_automation'],
    example: { request, response: { id } },
    handle: (ctx, { body }) => createForm(ctx, body),
  }),
  read({
    ...ofOne,
    path: '/v1/forms/:id',
    operationId: 'get_form',
    summary: 'Get one form',
    scope: 'forms:read',
    reply: formView,
    example: { response: example },
    handle: (ctx, input) => getForm(ctx, input.id, baseUrl),
  }),
  write({
    ...ofOne,
    method: 'PATCH',
    path: '/v1/forms/:id',
    operationId: 'update_form',
    summary: 'Change a form; a published one changes at once',
    scope: 'forms:write',
    body: formPatchBody,
    reply: formView,
    status: 200,
    errors: ['form_without_identity', 'unknown_automation'],
    example: { request: { thanks: 'Obrigada! Até logo.' }, response: example },
    handle: (ctx, input) => updateForm(ctx, input.id, input.body, baseUrl),
  }),
];

const sharing = (parts: LinkParts): readonly Route[] => [
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/forms/:id/publish',
    operationId: 'publish_form',
    summary: 'Publish a form; the answer contains its address',
    scope: 'forms:write',
    reply: publishedView,
    status: 200,
    errors: ['invalid_state', 'form_without_identity'],
    example: { response: { id, status: 'published', url } },
    handle: (ctx, input) => publishForm(ctx, input.id, parts.baseUrl),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/forms/:id/unpublish',
    operationId: 'unpublish_form',
    summary: 'Unpublish a form',
    scope: 'forms:write',
    reply: formView,
    status: 200,
    errors: ['invalid_state'],
    example: { response: { ...example, status: 'unpublished', url: null } },
    handle: (ctx, input) => unpublishForm(ctx, input.id, parts.baseUrl),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/forms/:id/links',
    operationId: 'create_form_link',
    summary: 'Create a personal link, which opens the form for one contact',
    scope: 'forms:write',
    body: linkBody,
    reply: linkView,
    status: 201,
    secret: true,
    errors: ['conflict', 'invalid_state', 'unknown_contact'],
    example: {
      request: { contact_id: contactId, days: 30 },
      response: { url: `${url}?c=djF8azF8…`, expires_at: '2026-12-20T12:00:00.000Z' },
    },
    handle: (ctx, input) =>
      createLink(
        ctx,
        { id: input.id, contactId: input.body.contact_id, days: input.body.days },
        parts,
      ),
  }),
];

const received: readonly Route[] = [
  list({
    ...ofOne,
    path: '/v1/forms/:id/submissions',
    operationId: 'list_form_submissions',
    summary: 'List submissions, newest first',
    scope: 'forms:read',
    query: submissionFilters,
    item: submissionView,
    example: { response: { data: [submission], next_cursor: null } },
    handle: (ctx, input) => listSubmissions(ctx, input.id, input.query, input.page),
  }),
];

/** Forms and their submissions (specification, Form and Form submission; design decisions §3). */
export const formRoutes = (parts: LinkParts): readonly Route[] => [
  ...drafting(parts),
  ...sharing(parts),
  ...received,
];
