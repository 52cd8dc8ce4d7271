import { contactNames, nameOfContact } from '../../contacts/names.ts';
import { groupNames } from '../../groups/names.ts';
import { listMembers, listTeams } from '../../members/reading.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from '../parts/listing.ts';
import { INBOX } from './texts.ts';

interface With {
  readonly contact_id: string | null;
  readonly group_id: string | null;
}

/** The contacts and groups of these conversations, in two statements for all of them. */
export async function partnersOf(
  page: Page,
  conversations: readonly With[],
): Promise<(conversation: With) => string> {
  const ids = conversations.flatMap(({ contact_id: id }) => id ?? []);
  const contacts = await contactNames(page.ctx, ids);
  const groupIds = conversations.flatMap(({ group_id: id }) => id ?? []);
  const groups = groupIds.length === 0 ? null : await groupNames(page.ctx, groupIds);
  const { unknown } = INBOX[page.lang];
  return ({ contact_id: contact, group_id: group }) => {
    if (group) return groups?.get(group) || unknown;
    const found = contact ? contacts.get(contact) : undefined;
    return found ? nameOfContact(found, unknown) : unknown;
  };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Team extends Named {
  readonly members: readonly Named[];
}

export interface Staff {
  /** Those who can have conversations. */
  readonly members: readonly Named[];
  readonly teams: readonly Team[];
  readonly nameOf: (id: string | null) => string | undefined;
}

/** The teams with their members, and everyone's name. */
export async function staffOf({ ctx }: Page): Promise<Staff> {
  const members = (await listMembers(ctx, EVERYBODY)).data;
  const teams = (await listTeams(ctx, EVERYBODY)).data;
  const names = new Map([...members, ...teams].map(({ id, name }) => [id, name]));
  const able = members.filter(({ status, seat }) => status === 'active' && seat);
  return {
    members: able,
    teams: teams.map(({ id, name, member_ids: ids }) => ({
      id,
      name,
      members: able.filter((one) => ids.includes(one.id)),
    })),
    nameOf: (id) => (id === null ? undefined : names.get(id)),
  };
}
