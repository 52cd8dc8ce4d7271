import { list, type Route, read, upload, write } from '../../http/route.ts';
import { UNREADABLE_PHONE } from '../identity/phones.ts';
import { importFilters, importRowView, importView } from '../schema.ts';
import { COLUMNS } from './csv.ts';
import {
  beginImport,
  cancelImport,
  getImport,
  listImportRows,
  listImports,
  MAX_IMPORT_BYTES,
} from './service.ts';

const example = {
  id: 'imp_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  file_name: 'clientes.csv',
  status: 'running',
  total: 1200,
  created: 480,
  updated: 15,
  unchanged: 3,
  failed: 2,
  created_by: { type: 'service_account', id: 'sva_01JD8B6V0R5Q9T3XK2M7N4P1WY', name: 'CRM' },
  started_at: '2026-11-20T12:00:01.000Z',
  finished_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
};

const exampleRow = {
  line: 7,
  outcome: 'failed',
  contact_id: null,
  problems: [UNREADABLE_PHONE],
};

const ABOUT = `Columns, those you have, in any order: ${COLUMNS.map((name) => `\`${name}\``).join(', ')}, \`custom.<key>\`. \
Whoever has the \`id\`, then the phone or, without one, the e-mail address is changed; an \`id\` from elsewhere says nothing. \
\`tags\` are separated by semicolons, or a JSON array. \
\`true\` under \`opted_out\` or \`blocked\` is taken; \`false\` says nothing, so that no file takes either back. What else the console's file of all contacts \
has is passed over.`;

const IMPORTS = '/v1/contacts/imports';

/** Must come before the routes of `/v1/contacts/{id}`, because the first match is used. */
export const contactImportRoutes: readonly Route[] = [
  list({
    path: IMPORTS,
    operationId: 'list_contact_imports',
    summary: 'List imports of contacts, newest first',
    tag: 'Contacts',
    scope: 'contacts:read',
    item: importView,
    example: { response: { data: [example], next_cursor: null } },
    handle: (ctx, { page }) => listImports(ctx, page),
  }),
  upload({
    path: IMPORTS,
    operationId: 'import_contacts',
    summary:
      'Import a CSV file of contacts: its first line names the columns, and tags are separated by semicolons',
    tag: 'Contacts',
    scope: 'contacts:write',
    permission: 'contacts.import',
    file: { maxBytes: MAX_IMPORT_BYTES, about: ABOUT },
    reply: importView,
    status: 201,
    example: { response: { ...example, status: 'pending', created: 0, started_at: null } },
    handle: (ctx, { file }) => beginImport(ctx, file),
  }),
  read({
    path: `${IMPORTS}/:id`,
    operationId: 'get_contact_import',
    summary: 'Get the progress of an import',
    tag: 'Contacts',
    scope: 'contacts:read',
    id: 'imp',
    reply: importView,
    example: { response: example },
    handle: (ctx, { id }) => getImport(ctx, id),
  }),
  list({
    path: `${IMPORTS}/:id/rows`,
    operationId: 'list_contact_import_rows',
    summary:
      'List the rows of an import with their outcomes, in the order of the file; they are kept 30 days after its end',
    tag: 'Contacts',
    scope: 'contacts:read',
    id: 'imp',
    query: importFilters,
    item: importRowView,
    example: { response: { data: [exampleRow], next_cursor: null } },
    handle: (ctx, { id, query, page }) => listImportRows(ctx, id, query, page),
  }),
  write({
    method: 'POST',
    path: `${IMPORTS}/:id/cancel`,
    operationId: 'cancel_contact_import',
    summary: 'Stop an import; contacts already imported stay',
    tag: 'Contacts',
    scope: 'contacts:write',
    permission: 'contacts.import',
    id: 'imp',
    reply: importView,
    status: 200,
    errors: ['invalid_state'],
    example: { response: { ...example, status: 'cancelled' } },
    handle: (ctx, { id }) => cancelImport(ctx, id),
  }),
];
