import type { PageRequest, Position } from '../../http/route.ts';
import { type IdPrefix, isId } from '../../ids.ts';
import { type Html, html } from '../../pages/html.ts';
import { linkButton, type Table, table } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { textsOf } from '../texts/texts.ts';

const ON_A_PAGE = 50;

/** The most entries in a list of choices. */
export const CHOICES = { limit: 100, after: null } as const;
/** More members, teams, numbers or pipelines than a workspace has. */
export const EVERYBODY = { limit: 1_000, after: null } as const;

/** The value of a filter in the address, if it is one of these. */
export const oneOf = <T extends string>(
  { query }: Page,
  name: string,
  values: readonly T[],
): T | undefined => values.find((value) => value === query.get(name));

/** What is searched for, as the address has it. */
export const searched = ({ query }: Page, name: string, longest: number): string | undefined =>
  (query.get(name) ?? '').trim().slice(0, longest) || undefined;

/** A search of what this page lists: its field, the text of its button, and what stands below them. */
export const searchForm = ({ path }: Page, input: Html, button: string, below: Html | null): Html =>
  html`<form class="search" method="get" action="${path}" role="search"><div class="inline">${input}<button class="quiet">${button}</button></div>${below}</form>`;

/** As lists write it; years that PostgreSQL does not have are no address of ours, nor is the 30th of February. */
const MOMENT = /^[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const isMoment = (at: string): boolean =>
  MOMENT.test(at) && new Date(at).toJSON()?.slice(0, 10) === at.slice(0, 10);

/**
 * Where the list continues: after the last record of the previous page, and its time if the list is sorted by one.
 */
export function pageAfter(
  { query }: Page,
  prefix: IdPrefix,
  limit: number = ON_A_PAGE,
): PageRequest {
  const [id = '', at] = (query.get('after') ?? '').split('~');
  const isTime = at === undefined || isMoment(at);
  const after = isId(prefix, id) && isTime ? { id, at: at ?? null } : null;
  return { limit, after };
}

/** This page's address with one filter changed, from the first page on. */
export function filteredBy({ path, query }: Page, name: string, value: string): string {
  const changed = new URLSearchParams(query);
  changed.delete('after');
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed.size === 0 ? path : `${path}?${changed}`;
}

/** What a filter offers: all, or one of these values. */
export const allOrOne = <T extends string>(
  all: string,
  values: readonly T[],
  names: Readonly<Record<T, string>>,
) => [['', all], ...values.map((one) => [one, names[one]] as const)] as const;

/** One filter as links, one of which is the current one. "" stands for all. */
export const chips = (
  page: Page,
  name: string,
  values: readonly (readonly [value: string, label: string])[],
  label: string,
): Html => html`<nav class="filtering" aria-label="${label}">${links(page, name, values)}</nav>`;

/** `chips` with its label in sight, for pages with several filters. */
export const labelledChips: typeof chips = (page, name, values, label) =>
  html`<nav class="filtering" aria-label="${label}"><span class="soft" aria-hidden="true">${label}</span>${links(page, name, values)}</nav>`;

const links = (
  page: Page,
  name: string,
  values: readonly (readonly [value: string, label: string])[],
): Html =>
  html`<ul class="filters">${values.map(
    ([value, text]) =>
      html`<li><a href="${filteredBy(page, name, value)}"${
        (page.query.get(name) ?? '') === value ? html` aria-current="true"` : null
      }>${text}</a></li>`,
  )}</ul>`;

/** Below a list: links to the next page and back to the first. */
export const following = (page: Page, next: Position | null): Html | null =>
  followingIn(page, 'after', next && (next.at === null ? next.id : `${next.id}~${next.at}`));

/**
 * The same for a list with a name of its own in the address.
 *
 * @param next what stands there for the next page
 */
export function followingIn(page: Page, name: string, next: string | null): Html | null {
  const texts = textsOf(page.lang);
  const first = page.query.has(name)
    ? linkButton(filteredBy(page, name, ''), texts.first, true)
    : null;
  if (next === null) return first && html`<p>${first}</p>`;
  const query = new URLSearchParams(page.query);
  query.set(name, next);
  return html`<p>${first} ${linkButton(`${page.path}?${query}`, texts.next, true)}</p>`;
}

interface ListTexts extends Pick<Required<Table>, 'columns' | 'none'> {
  readonly nav: string;
}

/** One page of records as a table, with a link to the next. */
export const listed = (
  page: Page,
  { nav, columns, none }: ListTexts,
  rows: Table['rows'],
  next: Position | null,
): Html => html`${table({ caption: nav, columns, rows, none })}${following(page, next)}`;
