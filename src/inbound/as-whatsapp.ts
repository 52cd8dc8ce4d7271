import { system } from '../access/actor.ts';
import type { Context } from '../context.ts';
import type { Clock } from '../db/clock.ts';
import { type ContextParts, contextsOf } from '../db/contexts.ts';

/** What acting on webhooks takes. */
export type InboundParts = ContextParts & { readonly clock: Clock };

/** A context for what WhatsApp reports. */
export const asWhatsApp = (parts: InboundParts, organizationId: string): Context =>
  contextsOf(parts)(organizationId, system('WhatsApp'));
