import { audit } from '../../audit/service.ts';
import { tagsCell } from '../../contacts/imports/tags.ts';
import { listContacts } from '../../contacts/service.ts';
import { csvHead, csvLine } from '../../csv.ts';
import type { PageOf, Position } from '../../http/route.ts';
import type { ConsolePage, PageFile } from '../page.ts';
import type { Contact } from './list.ts';

/** By the names of the API, as an import reads them; what it does not take it passes over. */
const CELLS: Readonly<Record<string, (contact: Contact) => string | null>> = {
  name: ({ name }) => name,
  phone: ({ phone }) => phone,
  email: ({ email }) => email,
  tags: ({ tags }) => tagsCell(tags),
  birth_date: ({ birth_date }) => birth_date,
  birth_year_known: ({ birth_year_known }) => String(birth_year_known),
  language: ({ language }) => language,
  time_zone: ({ time_zone }) => time_zone,
  notes: ({ notes }) => notes,
  custom: ({ custom }) => JSON.stringify(custom),
  id: ({ id }) => id,
  owner_id: ({ owner_id }) => owner_id,
  opted_out: ({ opted_out }) => String(opted_out),
  opted_out_at: ({ opted_out_at }) => opted_out_at,
  opt_out_source: ({ opt_out_source }) => opt_out_source,
  blocked: ({ blocked }) => String(blocked),
  identities: ({ identities }) => JSON.stringify(identities),
  whatsapp_status: ({ whatsapp_status }) => whatsapp_status,
  origin: ({ origin }) => origin,
  created_via: ({ created_via }) => created_via,
  last_inbound_at: ({ last_inbound_at }) => last_inbound_at,
  last_outbound_at: ({ last_outbound_at }) => last_outbound_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

/** Contacts read in one short transaction. */
const AT_ONCE = 1_000;

/** Everybody as a file, newest first; who is added meanwhile is not in it. The log says who took it, before they have it. */
export const contactsFile: ConsolePage = {
  path: '/contacts.csv',
  permission: 'contacts.export',
  view: async ({ ctx, workspace }): Promise<PageFile> => ({
    name: `contacts-${ctx.organizationId}.csv`,
    pieces: async function* (read) {
      const target = { type: 'workspace', id: ctx.organizationId, name: workspace.name };
      await read((sql) => audit({ ...ctx, sql }, { action: 'contact.exported', target }));
      yield csvHead(Object.keys(CELLS));
      let after: Position | null = null;
      do {
        const page = { limit: AT_ONCE, after };
        const found: PageOf<Contact> = await read((sql) => listContacts({ ...ctx, sql }, {}, page));
        yield found.data
          .map((one) => csvLine(Object.values(CELLS).map((cell) => cell(one))))
          .join('');
        after = found.next;
      } while (after);
    },
  }),
};
