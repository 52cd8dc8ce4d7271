import type { Provenance } from '../../contacts/drafts.ts';
import { WROTE_FIRST } from '../../contacts/identity/senders.ts';
import { type CreatedVia, CUSTOM_FIELD, type Origin, tagKey } from '../../contacts/rules.ts';
import { changeTags, contactPatchOf, updateContact } from '../../contacts/service.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';
import { BY_FORM } from '../../forms/saving.ts';
import { createDeal } from '../../pipelines/service.ts';
import { AFTER_A_MESSAGE, type Trigger, type TriggerInput } from '../definition/triggers.ts';
import type { SimulationInput } from './schema.ts';

type Of<T extends Trigger['type']> = Extract<Trigger, { readonly type: T }>;
type Given = SimulationInput['contact'];

const ANYTHING = '(Here the person would write.)';

/**
 * What the person writes where the caller names nothing, and nothing but a message fires the trigger; otherwise null.
 *
 * @param anything what they write where every message fires it
 */
export function firingMessage(trigger: TriggerInput, anything = ANYTHING): string | null {
  if (trigger.type === 'message_received') {
    const { match, keywords = [] } = trigger;
    return (match === 'contains_all' ? keywords.join(' ') : keywords[0]) ?? anything;
  }
  const byMessage = AFTER_A_MESSAGE.has(trigger.type) && trigger.type !== 'conversation_opened';
  return byMessage || viaOf(trigger) === 'message' ? anything : null;
}

const ORIGIN_OF: Readonly<Record<CreatedVia, Origin>> = {
  message: 'direct',
  form: 'form',
  import: 'import',
  api: 'import',
  campaign: 'campaign',
  member: 'team',
  automation: 'team',
};

const viaOf = (trigger: TriggerInput): CreatedVia | undefined =>
  trigger.type === 'contact_created' ? trigger.created_via?.[0] : undefined;

/** How the person came: as the trigger says; else who writes has not been here before. */
export function wayTo({ now }: Context, trigger: Trigger, message: string | null): Provenance {
  const wrote = message === null ? {} : { wroteAt: now };
  const createdVia = viaOf(trigger);
  if (createdVia) return { origin: ORIGIN_OF[createdVia], createdVia, ...wrote };
  if (message !== null) return { ...WROTE_FIRST, ...wrote };
  return trigger.type === 'form_submitted' ? BY_FORM : { origin: 'team', createdVia: 'automation' };
}

/** Lets happen to the person what fires the trigger. What the caller gave stays. */
export async function fire(
  tx: Context,
  trigger: Trigger,
  contactId: string,
  given: Given,
): Promise<void> {
  if (trigger.type === 'tag_added') return tag(tx, trigger, contactId, given);
  if (trigger.type === 'field_changed') return setField(tx, trigger, contactId, given);
  if (trigger.type === 'stage_changed') return openDeal(tx, trigger, contactId);
}

async function tag(
  tx: Context,
  { tags: wanted }: Of<'tag_added'>,
  contactId: string,
  { tags = [] }: Given,
): Promise<void> {
  const keys = tags.map(tagKey);
  if (!wanted.some((each) => keys.includes(tagKey(each))))
    await changeTags(tx, contactId, { add: wanted.slice(0, 1) });
}

async function setField(
  tx: Context,
  { field, to }: Of<'field_changed'>,
  contactId: string,
  given: Given,
): Promise<void> {
  // The phone is made up.
  if (to === null || to === '' || field === 'phone') return;
  const key = CUSTOM_FIELD.test(field) ? field.slice('custom.'.length) : null;
  const own = key === null ? given[field as keyof Given] : given.custom?.[key];
  if (own !== undefined && own !== '') return;
  const patch = key === null ? { [field]: to } : { custom: { [key]: to } };
  try {
    await updateContact(tx, contactId, contactPatchOf(patch));
  } catch (error) {
    // Nobody has a value that the field cannot hold: nothing fires this trigger.
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
  }
}

const STAGE = `
select s.id from stages s
where s.organization_id = $1 and ($2::text is null or s.pipeline_id = $2) and (cardinality($3::text[]) = 0 or s.id = any($3))
order by array_position($3, s.id), s.pipeline_id, s.position limit 1`;

/** In the first stage that the trigger names, or that there is. */
async function openDeal(
  tx: Context,
  { pipeline_id, stage_ids }: Of<'stage_changed'>,
  contactId: string,
): Promise<void> {
  const params = [tx.organizationId, pipeline_id, stage_ids];
  const stage = await first<{ id: string }>(tx.sql, STAGE, params);
  if (stage) await createDeal(tx, { stage_id: stage.id, contact_id: contactId });
}
