import { type IdPrefix, isId } from '../../ids.ts';
import { type Html, html } from '../../pages/html.ts';
import { linkButton } from '../../pages/parts.ts';
import { segmentNames } from '../../segments/reading.ts';
import type { Page } from '../page.ts';
import { filteredBy } from './listing.ts';

/** The record that a list is narrowed to by its address, which names it as the API does. */
export function recordIn({ query }: Page, name: string, prefix: IdPrefix): string | undefined {
  const id = query.get(name) ?? '';
  return isId(prefix, id) ? id : undefined;
}

/** Says above a list which record it is narrowed to, and leads back to all. */
export const narrowedTo = (
  page: Page,
  name: string,
  said: { readonly label: string; readonly record: Html | string; readonly all: string },
): Html =>
  html`<p>${said.label}: ${said.record} ${linkButton(filteredBy(page, name, ''), said.all, true)}</p>`;

/** The same for a segment; null for a list that is not narrowed to one. */
export async function segmentNarrowing(
  page: Page,
  id: string | undefined,
  texts: { readonly audience: string; readonly all: string },
): Promise<Html | null> {
  if (id === undefined) return null;
  const one = (await segmentNames(page.ctx)).find((segment) => segment.id === id);
  const record = one ? html`<a href="${page.base}/segments/${id}">${one.name}</a>` : '–';
  return narrowedTo(page, 'segment_id', { label: texts.audience, record, all: texts.all });
}
