import { contactNames, nameOfContact } from '../../contacts/names.ts';
import { listMembers } from '../../members/reading.ts';
import type { listDeals } from '../../pipelines/reading.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from '../parts/listing.ts';

type Deal = Awaited<ReturnType<typeof listDeals>>['data'][number];

/** With whom a deal is and who has it; "" for what nobody knows any more, or nobody has. */
export type Who = (deal: Deal) => { readonly contact: string; readonly owner: string };

export async function namesIn(page: Page, deals: readonly Deal[]): Promise<Who> {
  const contacts = await contactNames(page.ctx, [...new Set(deals.map((one) => one.contact_id))]);
  const { data: members } = await listMembers(page.ctx, EVERYBODY);
  const owners = new Map(members.map(({ id, name }) => [id, name]));
  return ({ contact_id: id, owner_id: owner }) => {
    const contact = contacts.get(id);
    return { contact: contact ? nameOfContact(contact) : '', owner: owners.get(owner ?? '') ?? '' };
  };
}
