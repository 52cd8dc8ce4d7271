import { reachable } from '../../contacts/reaching.ts';
import type { Context } from '../../context.ts';
import { type Decision, decided, opened, type Place } from '../running/deciding.ts';
import { type GroupPlace, judge, judgeGroup, type Person } from '../running/judging.ts';
import { knowPhones } from '../running/phones.ts';
import type { Beginning, Due } from './state.ts';

/** The single recipient of a run. */
export interface Addressed extends Decision {
  readonly reminder: Due;
  readonly at: Date;
  readonly key: string;
  readonly contactId: string | null;
}

/** The contact of a reminder to one person, and the phone that it is meant for, if it names one. */
type RecipientOf = (reminder: Due) => {
  readonly contactId: string | null;
  readonly toPhone: string | null;
};

/** Decides for each run who gets what. */
export async function addressed(
  tx: Context,
  beginning: readonly Beginning[],
): Promise<readonly Addressed[]> {
  const toPhones = beginning.filter(({ reminder }) => reminder.target === 'phone');
  const contacts = await knowPhones(
    tx,
    toPhones.map(({ reminder: { phone, created_by: by } }) => ({ phone, by: by.type })),
  );
  const recipientOf: RecipientOf = ({ target, contact_id: id, phone }) => {
    const owner = target === 'phone' ? contacts.get(phone ?? '') : { id, spelling: null };
    return { contactId: owner?.id ?? null, toPhone: owner?.spelling ?? null };
  };
  const places = new Map([
    ...(await peoplePlaces(tx, beginning, recipientOf)),
    ...(await groupPlaces(tx, beginning)),
  ]);
  return beginning.map(({ reminder, at }): Addressed => {
    const { id, target, contact_id: contactId, group_id: groupId } = reminder;
    return {
      reminder,
      at,
      key: contactId ?? groupId ?? id,
      contactId: target === 'group' ? null : recipientOf(reminder).contactId,
      ...decided(reminder, places.get(id)),
    };
  });
}

const PEOPLE = `
select g.reminder_id as key, g.contact_id as "contactId", c.name, c.custom, ${reachable('$5')} as reachable,
  c.opted_out as "optedOut", c.blocked, c.whatsapp_status as "whatsappStatus", v.window_expires_at as "windowExpiresAt",
  v.id as "conversationId"
from unnest($2::text[], $3::text[], $4::text[]) g (reminder_id, contact_id, number_id)
left join contacts c on c.organization_id = $1 and c.id = g.contact_id
left join conversations v on v.organization_id = $1 and v.number_id = g.number_id and v.contact_id = c.id`;

async function peoplePlaces(
  tx: Context,
  beginning: readonly Beginning[],
  recipientOf: RecipientOf,
): Promise<[string, Place][]> {
  const own = new Map(
    beginning.flatMap(({ reminder }) =>
      reminder.target === 'group' ? [] : [[reminder.id, reminder] as const],
    ),
  );
  if (own.size === 0) return [];
  const reminders = [...own.values()];
  const people = await tx.sql.rows<Person & { readonly conversationId: string | null }>(
    PEOPLE,
    [
      tx.organizationId,
      reminders.map(({ id }) => id),
      reminders.map((reminder) => recipientOf(reminder).contactId),
      reminders.map(({ number_id: numberId }) => numberId),
      tx.now,
    ],
    'reminders-people',
  );
  const judged = people.flatMap((person) => {
    const reminder = own.get(person.key);
    if (!reminder) return [];
    const pair = { numberId: reminder.number_id, contactId: person.contactId ?? '' };
    const { conversationId } = person;
    const { toPhone } = recipientOf(reminder);
    const judgement = judge(person, { ...offerOf(tx, reminder), toPhone });
    return [{ id: person.key, pair, conversationId, toPhone, judgement }];
  });
  return (await opened(tx, judged)).map(({ id, ...place }) => [id, place]);
}

const offerOf = ({ now }: Context, { text, transactional, hasWindow }: Due) => ({
  text,
  transactional,
  hasWindow,
  now,
});

const GROUPS = `
select g.id as key, g.name, g.conversation_id as "conversationId", g.left_at is not null as left
from groups g where g.organization_id = $1 and g.id = any($2::text[])`;

async function groupPlaces(
  tx: Context,
  beginning: readonly Beginning[],
): Promise<[string, Place][]> {
  const own = beginning.flatMap(({ reminder }) => (reminder.target === 'group' ? [reminder] : []));
  if (own.length === 0) return [];
  const ids = [...new Set(own.map(({ group_id: id }) => id))];
  const groups = await tx.sql.rows<GroupPlace>(GROUPS, [tx.organizationId, ids]);
  const byId = new Map(groups.map((group) => [group.key, group]));
  return own.map((reminder) => {
    const key = reminder.group_id ?? '';
    const group = byId.get(key) ?? { key, name: null, conversationId: null, left: true };
    return [
      reminder.id,
      {
        judgement: judgeGroup(group, reminder),
        conversationId: group.conversationId,
        toPhone: null,
      },
    ];
  });
}
