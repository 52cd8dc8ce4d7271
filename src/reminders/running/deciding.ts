import type { Context } from '../../context.ts';
import { openConversations, type Pair, pairKey } from '../../conversations/sending/opening.ts';
import type { OutgoingText } from '../../conversations/sending/outgoing-many.ts';
import { newId } from '../../ids.ts';
import type { Judgement } from './judging.ts';

/** What was decided about a recipient, and where the text would go. */
export interface Place {
  readonly judgement: Judgement;
  readonly conversationId: string | null;
  readonly toPhone: string | null;
}

/** Opens the conversations that those who get a text do not have yet. */
export async function opened<T extends Place & { readonly pair: Pair }>(
  tx: Context,
  places: readonly T[],
): Promise<T[]> {
  const wanted = places.filter((one) => one.conversationId === null && 'text' in one.judgement);
  const ids = await openConversations(
    tx,
    wanted.map(({ pair }) => pair),
  );
  return places.map((one) => ({
    ...one,
    conversationId: one.conversationId ?? ids.get(pairKey(one.pair)) ?? null,
  }));
}

/** The message to a recipient, or the reason why there is none. */
export interface Decision {
  readonly message: OutgoingText | null;
  readonly reason: string | null;
}

export function decided(
  { id: reminderId, transactional: despiteOptOut }: { id: string; transactional: boolean },
  place: Place | undefined,
): Decision {
  if (!place) return { message: null, reason: 'no_recipient' };
  const { conversationId, toPhone, judgement } = place;
  if ('reason' in judgement) return { message: null, reason: judgement.reason };
  if (conversationId === null) return { message: null, reason: 'no_recipient' };
  const message = { id: newId('msg'), conversationId, toPhone, text: judgement.text };
  return { message: { ...message, reminderId, despiteOptOut }, reason: null };
}
