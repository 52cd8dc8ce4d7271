import { AppError } from '../errors.ts';
import type { Permission } from './permissions.ts';
import type { Role } from './roles.ts';
import { permissionOf, type Scope } from './scopes.ts';

/** Which conversations, numbers and groups a member sees (specification, What a token reaches). */
export const VISIBILITIES = ['workspace', 'teams', 'assigned'] as const;

export type Visibility = (typeof VISIBILITIES)[number];

/** A system integration: an API key acts as its service account, workspace-wide (specification, Authentication). */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly id: string;
  readonly name: string;
  /** The API key used; idempotency and rate limits belong to it. */
  readonly credentialId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** A member, in the console or through an app that acts for them (OAuth). */
export interface MemberActor {
  readonly type: 'member';
  /** `mem_…` */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly visibility: Visibility;
  readonly teamIds: readonly string[];
  /** The numbers of these teams; none unless the visibility is "teams". Like these, as they were when the member came in. */
  readonly numberIds: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  /** The app's connection, or the console's session. */
  readonly credentialId: string;
  /** What the person granted to the app; null in the console, where only permissions decide. */
  readonly app: {
    readonly id: string;
    readonly name: string;
    readonly scopes: ReadonlySet<Scope>;
  } | null;
}

/** The service itself: workflows, WhatsApp's webhooks, the command line. */
export interface SystemActor {
  readonly type: 'system';
  readonly id: null;
  readonly name: string;
}

/** An automation of the workspace, in one of its runs. */
interface AutomationActor {
  readonly type: 'automation';
  /** `atm_…` */
  readonly id: string;
  readonly name: string;
  /** Passed on to what this run causes, so that no run can start itself again. */
  readonly run?: { readonly id: string; readonly chain: readonly string[] };
}

/** Actors that call from outside. */
export type CallingActor = ServiceAccount | MemberActor;

/** Any actor: in the audit log, in visibility rules, and in the signature of a change. */
export type Actor = CallingActor | SystemActor | AutomationActor;

/**
 * An actor for work that no one requested.
 *
 * @param name shown in the audit log, such as `campaigns`
 */
export const system = (name: string): SystemActor => ({ type: 'system', id: null, name });

/** Who cancelled a workflow in the Temporal UI, which does not say who that was. */
export const TEMPORAL_OPERATOR = system('Temporal operator');

/** Whether an app acts for a person, rather than the person in the console. */
export const isThroughApp = (actor: Actor): boolean =>
  actor.type === 'member' && actor.app !== null;

/** Whether a person acts in the console, rather than a key or an app. */
export const isPersonal = (actor: Actor): boolean =>
  actor.type === 'member' && !isThroughApp(actor);

/** Who did something, as records store it. */
export interface Signature {
  readonly type: Actor['type'];
  readonly id: string | null;
  readonly name: string;
}

/** The part of an actor stored with a record: without scopes, and without permissions, which may change. */
export const signatureOf = ({ type, id, name }: Actor): Signature => ({ type, id, name });

/** What is stored of an app next to the signature of the person for whom it acted. */
export type AppSignature = Pick<NonNullable<MemberActor['app']>, 'id' | 'name'>;

/** The app through which a person acts; null for everybody else. */
export const appOf = (actor: Actor): AppSignature | null =>
  actor.type === 'member' && actor.app ? { id: actor.app.id, name: actor.app.name } : null;

const NO_RIGHTS: Pick<
  MemberActor,
  'role' | 'visibility' | 'teamIds' | 'numberIds' | 'permissions'
> = {
  role: 'viewer',
  visibility: 'assigned',
  teamIds: [],
  numberIds: [],
  permissions: new Set(),
};

/**
 * Whoever signed a record, as the actor of what the service goes on doing for them: it is theirs in events and in the
 * audit log, also once they are gone. Without any right, for what they asked for was allowed when they did.
 */
export function onBehalfOf({ type, id, name }: Signature, app: AppSignature | null): Actor {
  const credentialId = '';
  const scopes = new Set<never>();
  if (id !== null && type === 'service_account') return { type, id, name, credentialId, scopes };
  if (id === null || type !== 'member') return system(name);
  return {
    type,
    id,
    name,
    credentialId,
    app: app && { ...app, scopes },
    ...NO_RIGHTS,
  };
}

/**
 * Refuses a call whose token lacks the scope, or whose member lacks the corresponding permission: a token allows only
 * the intersection (specification, Scopes: 403 `forbidden`).
 */
export function requireScope(actor: Actor, scope: Scope): void {
  if (!isGranted(actor, scope))
    throw new AppError('forbidden', `This needs the scope ${scope}.`, { scope });
  requirePermission(actor, permissionOf(scope));
}

/** Whether `requireScope` would let the actor pass. */
export const reaches = (actor: Actor, scope: Scope): boolean =>
  isGranted(actor, scope) && isPermitted(actor, permissionOf(scope));

/** Whether the token has the scope; who comes without a token needs none. */
function isGranted(actor: Actor, scope: Scope): boolean {
  if (actor.type === 'service_account') return actor.scopes.has(scope);
  return actor.type !== 'member' || actor.app === null || actor.app.scopes.has(scope);
}

/** Whether the member has the permission; nobody else needs one. */
const isPermitted = (actor: Actor, permission: Permission): boolean =>
  actor.type !== 'member' || actor.permissions.has(permission);

/** Refuses a member without the permission (403 `forbidden`). Service accounts are limited by scopes alone. */
export function requirePermission(actor: Actor, permission: Permission): void {
  if (isPermitted(actor, permission)) return;
  throw new AppError('forbidden', `This needs the permission ${permission}.`, { permission });
}
