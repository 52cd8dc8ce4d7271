import { type Actor, system } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { first, type Sql } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound, validation } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { addMember } from '../members/service.ts';
import { Plan, Workspace } from './entities.ts';
import { settings } from './settings.ts';

export interface NewWorkspace {
  /** 1 to 80 characters. */
  readonly name: string;
  /** The name of a row of `plans`. */
  readonly plan: string;
  readonly ownerEmail: string;
  readonly ownerName?: string;
  /** Without one the owner is `invited`, and joins by accepting. Who has an account keeps the password they have. */
  readonly ownerPassword?: string | undefined;
  /** IANA; `America/Sao_Paulo` by default. */
  readonly timeZone?: string | undefined;
  /** BCP 47; `pt-BR` by default. */
  readonly language?: string | undefined;
}

export interface Creation {
  readonly now: Date;
  readonly actor?: Actor;
  /** Goes into the same transaction: a workspace that is there is furnished. */
  readonly furnish?: (tx: Context, ownerMemberId: string) => Promise<void>;
}

const shape = settings.pick({ name: true, time_zone: true, language: true });

/** Every tenant, for the operator. */
export const listWorkspaces = (sql: Sql) =>
  sql.rows<ListedWorkspace>(
    `select organization_id as workspace_id, name, plan, created_at
     from workspaces order by organization_id`,
  );

interface ListedWorkspace {
  readonly workspace_id: string;
  readonly name: string;
  readonly plan: string;
  readonly created_at: Date;
}

interface Created {
  readonly workspaceId: string;
  readonly ownerMemberId: string;
  /** Whether the owner signs in with a password they had before, not with the given one. */
  readonly ownerHasAccount: boolean;
}

/** Creates a tenant with its first owner. */
export async function createWorkspace(
  parts: ContextParts,
  input: NewWorkspace,
  { now, actor = system('wms'), furnish }: Creation,
): Promise<Created> {
  const { timeZone: time_zone = 'America/Sao_Paulo', language: tag = 'pt-BR' } = input;
  const given = { name: input.name, time_zone, language: tag };
  const { name, time_zone: timeZone, language } = guard(shape, given);
  const workspaceId = newId('org');
  const ctx = createContext(parts, { organizationId: workspaceId, actor, now });
  return transact(ctx, async (tx) => {
    await requirePlan(tx, input.plan);
    tx.em.create(Workspace, {
      organizationId: workspaceId,
      name,
      plan: input.plan,
      timeZone,
      language,
      idleCloseHours: null,
      planChangedAt: null,
      createdAt: now,
    });
    await tx.em.flush();
    await audit(tx, {
      action: 'workspace.created',
      target: { type: 'workspace', id: workspaceId, name },
      changes: [{ field: 'plan', from: null, to: input.plan }],
    });
    const owner = await addMember(tx, {
      email: input.ownerEmail,
      name: input.ownerName ?? input.ownerEmail.split('@')[0] ?? input.ownerEmail,
      role: 'owner',
      ...(input.ownerPassword === undefined ? {} : { password: input.ownerPassword }),
    });
    const ownerHasAccount = input.ownerPassword !== undefined && owner.status === 'invited';
    // Nobody is here yet to see in the log when the first Owner signs in.
    if (input.ownerPassword !== undefined)
      Object.assign(owner, { status: 'active', joinedAt: now });
    await tx.em.flush();
    await furnish?.(tx, owner.id);
    return { workspaceId, ownerMemberId: owner.id, ownerHasAccount };
  });
}

/** Moves the workspace to another plan. What exceeds its limits stays, but nothing can be added. To the same: changes nothing. */
export async function setPlan(ctx: Context, plan: string): Promise<Workspace> {
  return transact(ctx, async (tx) => {
    await requirePlan(tx, plan);
    const { organizationId } = tx;
    // One change at a time, so that each is logged relative to the one before it.
    await tx.sql.rows('select from workspaces where organization_id = $1 for no key update', [
      organizationId,
    ]);
    const workspace = await tx.em.findOne(Workspace, { organizationId }, { refresh: true });
    if (!workspace) throw notFound('workspace');
    const from = workspace.plan;
    // The date of a change keeps messages that a shorter history would drop.
    if (plan === from) return workspace;
    workspace.plan = plan;
    workspace.planChangedAt = tx.now;
    await tx.em.flush();
    await audit(tx, {
      action: 'workspace.plan_changed',
      target: { type: 'workspace', id: workspace.organizationId, name: workspace.name },
      changes: [{ field: 'plan', from, to: plan }],
    });
    return workspace;
  });
}

/** The IANA zone of the workspace's local times. */
export async function timeZoneOf(ctx: InWorkspace): Promise<string> {
  const row = await first<{ time_zone: string }>(
    ctx.sql,
    'select time_zone from workspaces where organization_id = $1',
    [ctx.organizationId],
    'time-zone-of',
  );
  if (!row) throw notFound('workspace');
  return row.time_zone;
}

/** The workspace's language, as a BCP 47 tag: how people write numbers and days, and where their phones are. */
export async function languageOf({ sql, organizationId }: InWorkspace): Promise<string> {
  const row = await first<{ language: string }>(
    sql,
    'select language from workspaces where organization_id = $1',
    [organizationId],
    'workspace-language',
  );
  if (!row) throw notFound('workspace');
  return row.language;
}

/** The day in a zone, `YYYY-MM-DD`. */
export const dayIn = (timeZone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone }).format(at);

/** Today where the workspace is, `YYYY-MM-DD`. */
export const todayOf = async (
  ctx: Pick<Context, 'sql' | 'organizationId' | 'now'>,
): Promise<string> => dayIn(await timeZoneOf(ctx), ctx.now);

/** What pages for people show about a workspace. */
export interface WorkspaceFacts {
  readonly name: string;
  /** IANA. */
  readonly timeZone: string;
}

/** Throws 404 if the workspace is gone. */
export async function workspaceFacts({
  sql,
  organizationId,
}: InWorkspace): Promise<WorkspaceFacts> {
  const row = await first<WorkspaceFacts>(
    sql,
    'select name, time_zone as "timeZone" from workspaces where organization_id = $1',
    [organizationId],
    'workspace-facts',
  );
  if (!row) throw notFound('workspace');
  return row;
}

async function requirePlan(tx: Context, name: string): Promise<void> {
  const plans = await tx.em.find(Plan, {}, { fields: ['name'] });
  const allowed = plans.map((plan) => plan.name);
  if (allowed.includes(name)) return;
  const message = `There is no plan ${name}. There are: ${allowed.join(', ')}.`;
  throw validation([{ path: 'plan', rule: 'enum', allowed, message }]);
}
