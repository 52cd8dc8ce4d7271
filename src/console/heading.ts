import type { Permission } from '../access/permissions.ts';
import { type Html, html } from '../pages/html.ts';
import { linkButton } from '../pages/parts.ts';
import type { Page } from './page.ts';

/** The way back: the pages above this one, by their paths below the workspace's address. */
export const crumbs = (
  { base }: Pick<Page, 'base'>,
  ...above: readonly (readonly [path: string, name: string])[]
): Html =>
  html`<p class="crumbs">${above.map(
    ([path, name], i) => html`${i > 0 ? ' / ' : null}<a href="${base}${path}">${name}</a>`,
  )}</p>`;

/** The page's name, and at the end of its line how it stands or what can be done. */
export const bar = (title: string, end: Html | readonly (Html | null)[] | null): Html =>
  html`<div class="bar"><h1>${title}</h1>${end === null ? null : html`<div class="actions">${end}</div>`}</div>`;

/** On the page of a list: the way to one more, for those who may. */
export const toNew = (
  { path, may }: Pick<Page, 'path' | 'may'>,
  permission: Permission,
  label: string,
): Html | null => (may(permission) ? linkButton(`${path}/new`, label) : null);
