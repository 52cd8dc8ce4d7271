import { insideWindow } from '../../conversations/rules.ts';
import { render } from '../../conversations/sending/personal-text.ts';

/** A person who should get the reminder; fields are null for a deleted contact. */
export interface Person {
  readonly key: string;
  readonly contactId: string | null;
  readonly name: string | null;
  readonly custom: Readonly<Record<string, unknown>> | null;
  readonly reachable: boolean | null;
  readonly optedOut: boolean | null;
  readonly blocked: boolean | null;
  readonly whatsappStatus: string | null;
  readonly windowExpiresAt: Date | null;
}

/** What would be sent, and when. */
export interface Offer {
  readonly text: string;
  /** The phone that it is meant for, as the contact has it; null if the reminder names none. */
  readonly toPhone: string | null;
  readonly transactional: boolean;
  /** Whether the number may write first only within the 24-hour window. */
  readonly hasWindow: boolean;
  readonly now: Date;
}

/** The text to send, or why none is sent, as an exclusion of campaigns (design decisions §7). */
export type Judgement = { readonly text: string } | { readonly reason: string };

/** Decides about one person at the moment of sending. */
export function judge(person: Person, offer: Offer): Judgement {
  const reason = obstacleTo(person, offer);
  if (reason !== null) return { reason };
  const text = render(offer.text, { name: person.name ?? '', custom: person.custom ?? {} });
  return text === null ? { reason: 'missing_variable' } : { text };
}

function obstacleTo(
  person: Person,
  { toPhone, transactional, hasWindow, now }: Offer,
): string | null {
  if (person.name === null) return 'no_recipient';
  if (person.optedOut && !transactional) return 'opted_out';
  if (person.blocked) return 'blocked';
  if (!person.reachable && toPhone === null) return 'no_phone';
  if (person.whatsappStatus === 'invalid') return 'no_whatsapp';
  return hasWindow && !insideWindow(person.windowExpiresAt, now) ? 'out_of_window' : null;
}

/** A group as recipient; fields are null for a deleted one. */
export interface GroupPlace {
  readonly key: string;
  readonly name: string | null;
  readonly conversationId: string | null;
  readonly left: boolean;
}

/** Groups have no window, and their name is the only variable. */
export function judgeGroup(group: GroupPlace, { text }: Pick<Offer, 'text'>): Judgement {
  if (group.conversationId === null || group.left) return { reason: 'left_group' };
  const words = render(text, { name: group.name ?? '', custom: {} });
  return words === null ? { reason: 'missing_variable' } : { text: words };
}
