import { type Actor, requireScope } from '../access/actor.ts';
import type { Scope } from '../access/scopes.ts';
import {
  restrictedMember,
  visibleCampaigns,
  visibleConversations,
  visibleRuns,
  visibleThroughAny,
} from '../access/visibility.ts';
import type { Bind } from '../db/sql.ts';
import { conditionsIn, type FieldName, type Rules } from './rules.ts';

/** Records that not everybody who may read segments may read. */
interface Guarded {
  /** Without it no rule of a key's or an app's own may ask about them. */
  readonly scope: Scope;
  /** A condition on them as `r`, where not everybody with the permission sees all of them. */
  readonly seen?: (actor: Actor, alias: string, bind: Bind) => string;
}

const CONVERSATIONS: Guarded = { scope: 'conversations:read', seen: visibleConversations };
const DEALS: Guarded = { scope: 'pipelines:read', seen: visibleThroughAny };
const RUNS: Guarded = {
  scope: 'automations:read',
  seen: (actor, _, bind) => visibleRuns(actor, bind),
};
const CAMPAIGNS: Guarded = {
  scope: 'campaigns:read',
  seen: (actor, alias, bind) => `exists (select from campaigns k
    where k.organization_id = ${alias}.organization_id and k.id = ${alias}.campaign_id and ${visibleCampaigns(actor, 'k', bind)})`,
};

/** By field, what a condition asks about; null for the contact itself, whom everybody sees. */
const GUARDED: Readonly<Record<FieldName, Guarded | null>> = {
  name: null,
  phone: null,
  email: null,
  language: null,
  opted_out: null,
  tag: null,
  owner_id: null,
  origin: null,
  created_at: null,
  last_inbound_at: null,
  last_outbound_at: null,
  birth_date: null,
  number_id: CONVERSATIONS,
  team_id: CONVERSATIONS,
  'conversation.status': CONVERSATIONS,
  window_open: CONVERSATIONS,
  stage: DEALS,
  pipeline: DEALS,
  'deal.status': DEALS,
  'deal.value_cents': DEALS,
  'automation.run': RUNS,
  'campaign.received': CAMPAIGNS,
  'campaign.replied': CAMPAIGNS,
  'form.submitted': { scope: 'forms:read' },
};

/** A custom field is the contact's. */
const guardOf = (field: string): Guarded | null =>
  Object.hasOwn(GUARDED, field) ? GUARDED[field as FieldName] : null;

/** SQL: which rows `r` of the field's relation the actor sees. */
export const seenIn = (field: string, actor: Actor, bind: Bind): string =>
  (restrictedMember(actor) && guardOf(field)?.seen?.(actor, 'r', bind)) ?? 'true';

/** Refuses rules that ask about what the token has no scope for: 403 `forbidden`, naming the first that is missing. */
export function requireRuleScopes(actor: Actor, rules: Rules): void {
  for (const { field } of conditionsIn(rules)) {
    const scope = guardOf(field)?.scope;
    if (scope) requireScope(actor, scope);
  }
}

/** Whether more may match than the actor sees. */
export const seesInPart = (actor: Actor, rules: Rules): boolean =>
  restrictedMember(actor) !== null &&
  conditionsIn(rules).some(({ field }) => guardOf(field)?.seen !== undefined);
