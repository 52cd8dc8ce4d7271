import { hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { CSRF_FIELD } from '../../people/forms.ts';
import type { Page } from '../page.ts';

/** A form of this page: names the action, and carries the token that proves the person's intent. */
export const form = ({ path, session }: Page, action: string, content: Html): Html =>
  html`<form method="post" action="${path}">${hidden(CSRF_FIELD, session.csrf)}${hidden('action', action)}${content}</form>`;

/** The same with a file, which the page receives through its `upload`. */
export const uploadForm = ({ path, session }: Page, action: string, content: Html): Html =>
  html`<form method="post" action="${path}" enctype="multipart/form-data">${hidden(CSRF_FIELD, session.csrf)}${hidden('action', action)}${content}</form>`;
