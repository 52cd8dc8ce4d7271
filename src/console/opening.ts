import { randomBytes } from 'node:crypto';
import { type MemberActor, requirePermission } from '../access/actor.ts';
import type { Permission } from '../access/permissions.ts';
import type { ReadContext } from '../context.ts';
import type { Sql } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { type Caller, enterKnown } from '../http/callers/authenticate.ts';
import type { Framed } from '../http/framed.ts';
import { memberActor } from '../members/actors.ts';
import { formatFor } from '../pages/format.ts';
import { languageOf } from '../pages/language.ts';
import { type WorkspaceFacts, workspaceFacts } from '../workspaces/service.ts';
import { queryOf } from './frame/live.ts';
import type { Page } from './page.ts';
import type { Visit } from './visit.ts';

/** The workspace, and the address below it. */
export function placeOf({ state }: Framed): { organizationId: string; path: string } {
  const rest = state.params?.['rest'] ?? '';
  const at = rest.indexOf('/');
  if (at === -1) return { organizationId: rest, path: '' };
  return { organizationId: rest.slice(0, at), path: rest.slice(at) };
}

/** A person who was just let in by the workspace. */
export interface Entered {
  readonly organizationId: string;
  readonly actor: MemberActor;
  readonly workspace: WorkspaceFacts;
}

/**
 * Lets the person in with their current rights; refuses anyone who may not use this page (403). Someone who does not
 * belong to the workspace learns no more than a stranger (404).
 *
 * @param work has a connection bound to the workspace
 */
export async function entering<T>(
  { parts, http, known, page }: Visit,
  work: (entered: Entered, sql: Sql) => Promise<T> | T,
): Promise<T> {
  const door = { database: parts.database, memberActor };
  try {
    return await enterKnown(door, { res: http.res, known }, async (caller, sql) => {
      const actor = personOf(caller);
      requireAllowed(actor, page.permission);
      const { organizationId } = caller;
      return work(
        { organizationId, actor, workspace: await workspaceFacts({ sql, organizationId }) },
        sql,
      );
    });
  } catch (error) {
    throw error instanceof AppError && error.code === 'unauthorized' ? notFound('page') : error;
  }
}

/** Only a person has a session. */
function personOf({ actor }: Caller): MemberActor {
  if (actor.type !== 'member') throw notFound('page');
  return actor;
}

/** Throws 403; null allows everyone in the workspace. */
export function requireAllowed(actor: MemberActor, permission: Permission | null): void {
  if (permission) requirePermission(actor, permission);
}

export function pageOf<C extends ReadContext>(
  { http, parts, session, known, path, params }: Visit,
  { actor, workspace }: Entered,
  ctx: C,
  left: Pick<Page, 'sent' | 'problems' | 'faults' | 'answer' | 'flash' | 'file' | 'presence'> &
    Partial<Pick<Page, 'showing'>>,
): Page<C> {
  const lang = languageOf(http.get('accept-language'));
  const base = `/console/${known.organizationId}`;
  return {
    parts,
    session,
    ctx: { ...ctx, actor },
    lang,
    format: formatFor(lang, workspace.timeZone),
    workspace,
    base,
    path: `${base}${path}`,
    params,
    ...queryOf(http.querystring),
    may: (permission) => actor.permissions.has(permission),
    showing: randomBytes(12).toString('base64url'),
    ...left,
  };
}
