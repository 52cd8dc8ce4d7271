import { attribute, hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure } from '../../pages/parts.ts';
import { CSRF_FIELD } from '../../people/forms.ts';
import { shownAsSent } from '../frame/unsent.ts';
import { field, type Page, SHOWING_FIELD } from '../page.ts';

/** A form of this page: names the action, and carries the token that proves the person's intent. */
export const form = (
  page: Page,
  action: string,
  content: Html,
  attributes: Html | null = null,
): Html =>
  html`<form method="post" action="${page.path}"${attributes}${shownAsSent(page, action)}>${marks(page, action)}${content}</form>`;

/** A form of this page with a file, which the page receives through its `upload`. */
export const uploadForm = (page: Page, action: string, content: Html, id?: string): Html =>
  html`<form method="post" action="${page.path}" enctype="multipart/form-data"${attribute('id', id)}${shownAsSent(page, action)}>${marks(page, action)}${content}</form>`;

const marks = ({ session, showing }: Page, action: string): Html =>
  html`${hidden(CSRF_FIELD, session.csrf)}${hidden(SHOWING_FIELD, showing)}${hidden('action', action)}`;

interface Asking {
  readonly label: Html | string;
  /** What it does, in paragraphs. */
  readonly lead?: string | readonly string[];
  readonly fields?: Html | null;
  readonly danger?: boolean;
  /** Shown open because it was refused. */
  readonly open?: boolean;
  /** Of the form, for fields that stand elsewhere on the page. */
  readonly id?: string;
}

/** A button that opens what its action does and needs, and asks once more. */
export function askFirst(page: Page, action: string, asking: Asking): Html {
  const { label, lead = [], fields = null, danger = false, open = false, id } = asking;
  const button = html`<button${danger ? html` class="danger"` : null}>${label}</button>`;
  const content = html`${fields}${button}`;
  return disclosure(
    label,
    html`${[lead].flat().map((text) => html`<p>${text}</p>`)}${form(page, action, content, attribute('id', id))}`,
    { danger, open },
  );
}

/** What every field of a form has: its name, what was sent in it, and what was wrong with that. */
export const asSent = (page: Page, name: string) => ({
  name,
  value: field(page, name),
  error: page.problems.get(name),
});

/** The same of a form that is opened with values of its own: until it is sent, a field has its own value. */
export const asKept = <Name extends string>(
  page: Page,
  kept: Readonly<Record<Name, string>>,
  name: Name,
) => {
  const sent = asSent(page, name);
  return page.sent.size > 0 ? sent : { ...sent, value: kept[name] };
};
