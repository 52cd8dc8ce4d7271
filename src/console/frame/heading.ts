import type { Permission } from '../../access/permissions.ts';
import { type Html, html } from '../../pages/html.ts';
import { linkButton } from '../../pages/parts.ts';
import type { Page } from '../page.ts';

/** Links to the pages above this one, by their paths below the workspace's address. */
export const crumbs = (
  { base }: Pick<Page, 'base'>,
  ...above: readonly (readonly [path: string, name: string])[]
): Html =>
  html`<p class="crumbs">${above.map(
    ([path, name], i) => html`${i > 0 ? ' / ' : null}<a href="${base}${path}">${name}</a>`,
  )}</p>`;

/** The page's title, with a status or actions at the end of its line. */
export const bar = (title: string, end: Html | readonly (Html | null)[] | null): Html =>
  html`<div class="bar"><h1>${title}</h1>${end === null ? null : html`<div class="actions">${end}</div>`}</div>`;

/** On a list's page: the link for adding a record, for those allowed to. */
export const toNew = (
  { path, may }: Pick<Page, 'path' | 'may'>,
  permission: Permission,
  label: string,
): Html | null => (may(permission) ? linkButton(`${path}/new`, label) : null);
