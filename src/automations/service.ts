import { signatureOf } from '../access/actor.ts';
import { type Change, changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError, type FieldProblem, notFound, validation } from '../errors.ts';
import { canonicalJson } from '../http/body/json.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { checkEndpointUrl } from '../net/url.ts';
import type { Definition } from './definition/language.ts';
import { type DraftRow, findByName, lockAutomation } from './queries.ts';
import { getAutomation } from './reading.ts';
import {
  type AutomationDetail,
  type AutomationPatch,
  automationPatch,
  type NewAutomation,
  newAutomation,
} from './schema.ts';

export interface AutomationParts {
  /** Addresses that may be called although they are not public; for development. */
  readonly trustedOrigins: readonly string[];
  /** False if there is no AI here; drafts that need one get a warning. */
  readonly ai?: boolean;
}

/** Validates an automation from outside a request: 422 naming every place that is wrong. */
export const readNewAutomation = (input: unknown): NewAutomation => guard(newAutomation, input);

/** The same for a change, which contains only the fields to change. */
export const readPatch = (input: unknown): AutomationPatch => guard(automationPatch, input);

/**
 * Creates a draft, which starts nothing until it is activated. What cannot work yet is an issue of the draft; a
 * definition of the wrong shape is refused. Throws 409 `duplicate` for a name in use.
 */
export async function createAutomation(
  ctx: Context,
  { name, description, ...definition }: NewAutomation,
  parts: AutomationParts,
): Promise<AutomationDetail> {
  refuseAddresses(definition, parts);
  return transact(ctx, async (tx) => {
    await refuseTakenName(tx, name, null);
    const id = newId('atm');
    await tx.sql.rows(
      `insert into automations (organization_id, id, name, description, draft, created_by, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [
        tx.organizationId,
        id,
        name,
        description,
        JSON.stringify(definition),
        JSON.stringify(signatureOf(tx.actor)),
        tx.now,
      ],
    );
    await audit(tx, { action: 'automation.created', target: targetOf({ id, name }) });
    return getAutomation(tx, id);
  });
}

/** Changes name, description and draft; runs, including new ones, follow the published version. */
export async function updateAutomation(
  ctx: Context,
  id: string,
  patch: AutomationPatch,
  parts: AutomationParts,
): Promise<AutomationDetail> {
  return transact(ctx, async (tx) => {
    const before = await requireLocked(tx, id);
    const after = { ...contentOf(before), ...given(patch) };
    const { name, description, ...definition } = after;
    refuseAddresses(definition, parts);
    if (name !== before.name) await refuseTakenName(tx, name, id);
    const changes = changesOf(contentOf(before), after);
    if (changes.length > 0) {
      await tx.sql.rows(
        `update automations set name = $3, description = $4, draft = $5, updated_at = $6
         where organization_id = $1 and id = $2`,
        [tx.organizationId, id, name, description, JSON.stringify(definition), tx.now],
      );
      await audit(tx, { action: 'automation.updated', target: targetOf(after, id), changes });
    }
    return getAutomation(tx, id);
  });
}

/** The automation, locked until the transaction ends. */
export async function requireLocked(tx: Context, id: string): Promise<DraftRow> {
  const row = await lockAutomation(tx, id);
  if (!row) throw notFound('automation');
  return row;
}

/** How the audit log names an automation. */
export const targetOf = (
  { name, id }: { readonly name: string; readonly id?: string },
  known: string = id ?? '',
) => ({ type: 'automation', id: known, name });

type Content = Pick<DraftRow, 'name' | 'description'> & Definition;

const contentOf = ({ name, description, draft }: DraftRow): Content => ({
  name,
  description,
  ...draft,
});

const given = (patch: AutomationPatch): Partial<Content> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));

/** The log only says that the draft changed: texts never enter it (design decisions §19). */
function changesOf(from: Content, to: Content): Change[] {
  const shown = ({ name, description }: Content) => ({ name, description });
  const parts = (['trigger', 'entry', 'steps'] as const).filter(
    (part) => canonicalJson(from[part]) !== canonicalJson(to[part]),
  );
  return [
    ...changesBetween(shown(from), shown(to)),
    ...parts.map((field) => ({ field, from: '[hidden]', to: '[hidden]' })),
  ];
}

async function refuseTakenName(tx: Context, name: string, own: string | null): Promise<void> {
  const taken = await findByName(tx, name);
  if (taken === null || taken === own) return;
  throw new AppError('duplicate', 'Another automation has this name.', { automation_id: taken });
}

/** The same rules as for webhooks (design decisions §9). Variables may stand behind the host. */
function refuseAddresses({ steps }: Definition, { trustedOrigins }: AutomationParts): void {
  const problems = steps.flatMap((step, index): FieldProblem[] => {
    if (step.type !== 'http_request') return [];
    const verdict = checkEndpointUrl(step.url, trustedOrigins);
    if (verdict.ok) return [];
    return [{ path: `steps[${index}].url`, rule: verdict.rule, message: verdict.message }];
  });
  if (problems.length > 0) throw validation(problems);
}
