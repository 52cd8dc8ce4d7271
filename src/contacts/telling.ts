import type { AuditValue, Change } from '../audit/rules.ts';
import { CHANGED, type Happened, recordHappenings } from '../outbox/happenings.ts';
import type { ContactWriting, Draft, Provenance } from './drafts.ts';
import { tagKey } from './rules.ts';

/** Fields that automations can listen to. The others are not about the person. */
const TOLD = /^(?:name|phone|email|birth_date|language|owner_id|notes|custom\..+)$/;

/** What automations are told about new contacts; the tags they come with count as added. */
export const createdHappenings = (
  added: readonly Draft[],
  { createdVia }: Provenance,
): Happened[] =>
  added.flatMap(({ id, tags }): Happened[] => [
    { type: 'contact_created', contactId: id, ref: id, data: { created_via: createdVia } },
    ...taggedWith(id, tags),
  ]);

/** Tells automations about changes to contacts, in the shape the audit log has them. */
export const tellChanged = (
  tx: ContactWriting,
  changed: readonly { readonly id: string; readonly changes: readonly Change[] }[],
): Promise<void> =>
  recordHappenings(
    tx,
    changed.flatMap(({ id, changes }): Happened[] => {
      const tags = changes.filter(({ field }) => field === 'tags');
      const told = [...tags.flatMap((each) => taggedAnew(id, each)), ...fieldsOf(id, changes)];
      return told.length > 0 ? told : [{ type: CHANGED, contactId: id, ref: id }];
    }),
  );

const taggedWith = (contactId: string, tags: readonly string[]): Happened[] =>
  tags.length === 0 ? [] : [{ type: 'tag_added', contactId, ref: contactId, data: { tags } }];

function taggedAnew(id: string, { from, to }: Change): Happened[] {
  const before = new Set(words(from).map(tagKey));
  return taggedWith(
    id,
    words(to).filter((tag) => !before.has(tagKey(tag))),
  );
}

const words = (value: AuditValue): string[] => (Array.isArray(value) ? value.map(String) : []);

function fieldsOf(contactId: string, changes: readonly Change[]): Happened[] {
  const fields = changes
    .filter(({ field }) => TOLD.test(field))
    .map(({ field, to }) => ({ field, to }));
  if (fields.length === 0) return [];
  return [{ type: 'field_changed', contactId, ref: contactId, data: { fields } }];
}
