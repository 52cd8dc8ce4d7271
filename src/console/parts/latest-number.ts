import { listConversations } from '../../conversations/service.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from './listing.ts';

/** These numbers, with the one first by which the contact was last talked to, of those that the person sees. */
export async function latestFirst<N extends { readonly id: string }>(
  { ctx }: Page,
  contactId: string,
  numbers: readonly N[],
): Promise<N[]> {
  if (numbers.length < 2) return [...numbers];
  const filters = { contact_id: contactId, sort: 'last_message_at' as const };
  const { data } = await listConversations(ctx, filters, EVERYBODY);
  const latest = data.find(({ number_id }) =>
    numbers.some(({ id }) => id === number_id),
  )?.number_id;
  return numbers.toSorted((a, b) => Number(b.id === latest) - Number(a.id === latest));
}
