import { AppError } from '../errors.ts';
import type { Scope } from './scopes.ts';

/** A system integration: an API key acts as its service account, workspace-wide (specification, Authentication). */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly id: string;
  readonly name: string;
  /** The key that was shown: idempotency and rate limits belong to it. */
  readonly credentialId: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** The service itself: workflows, WhatsApp's webhooks, the command line. */
export interface SystemActor {
  readonly type: 'system';
  readonly id: null;
  readonly name: string;
}

export type Actor = ServiceAccount | SystemActor;

export const system = (name: string): SystemActor => ({ type: 'system', id: null, name });

/** Refuses a call whose token lacks the scope (specification: 403 `forbidden`). */
export function requireScope(actor: Actor, scope: Scope): void {
  if (actor.type === 'system' || actor.scopes.has(scope)) return;
  throw new AppError('forbidden', `This needs the scope ${scope}.`, { scope });
}
