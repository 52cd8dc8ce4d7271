import { type ComponentChild, h } from 'preact';
import type { HtmlPage } from '../../http/mount.ts';
import type { Problem } from '../answers.ts';
import type { FormRow } from '../queries.ts';
import { inputId, question } from './controls.ts';
import { documentOf, message } from './document.ts';
import type { Texts } from './texts.ts';

/** A field hidden from people, which programs fill in. */
export const TRAP = 'contact_url';
export const TOKEN = 'token';
export const LINK = 'c';

/** A form as it is first shown, or shown again after an error. */
export interface FormShown {
  readonly form: FormRow;
  readonly workspace: string;
  readonly texts: Texts;
  readonly token: string;
  /** The personal part of the link, or "". */
  readonly link: string;
  readonly sent: (key: string) => readonly string[];
  readonly problems: ReadonlyMap<string, Problem>;
  /** A problem with the submission as a whole, in the page's language; "" for none. */
  readonly trouble: string;
}

/** The public page of a form; after an error, filled in as it was sent. */
export function formPage(shown: FormShown): HtmlPage {
  const { form, workspace, texts, problems, trouble } = shown;
  const failed = problems.size > 0 || trouble !== '';
  const name = `${form.title} · ${workspace}`;
  return documentOf(
    { texts, title: failed ? `${texts.errorWord}: ${name}` : name, foot: texts.goesTo(workspace) },
    h(
      'div',
      null,
      h('p', { class: 'from' }, workspace),
      h('h1', null, form.title),
      form.description ? h('p', { class: 'lead' }, form.description) : null,
      failed ? summary(shown) : null,
      body(shown),
    ),
  );
}

/** Receives the focus, so that a screen reader starts with it. */
function summary({ form, texts, problems, trouble }: FormShown): ComponentChild {
  const links = form.fields.flatMap(({ key, label }) => {
    const problem = problems.get(key);
    if (!problem) return [];
    const asked = /\p{P}$/u.test(label) ? label : `${label}:`;
    const said = `${asked} ${texts.problem(problem)}`;
    return [h('li', null, h('a', { href: `#${inputId(key)}` }, said))];
  });
  return h(
    'div',
    { class: 'summary', role: 'alert', tabIndex: -1, autofocus: true },
    h('h2', null, links.length > 0 ? texts.summary(links.length) : texts.errorWord),
    trouble ? h('p', null, trouble) : null,
    links.length > 0 ? h('ul', null, links) : null,
  );
}

/** `novalidate`: problems are shown on the page, beside the field and in its language. */
const body = ({ form, texts, token, link, sent, problems }: FormShown): ComponentChild =>
  h(
    'form',
    { method: 'post', action: `/f/${form.id}`, noValidate: true },
    form.fields.some(({ required }) => required)
      ? h('p', { class: 'note' }, texts.requiredNote)
      : null,
    form.fields.map((field) =>
      question({ field, sent: sent(field.key), problem: problems.get(field.key), texts }),
    ),
    h(
      'div',
      { class: 'trap', 'aria-hidden': 'true' },
      h('label', { for: TRAP }, texts.honeypot),
      h('input', { id: TRAP, name: TRAP, type: 'text', tabIndex: -1, autocomplete: 'off' }),
    ),
    h('input', { type: 'hidden', name: TOKEN, value: token }),
    link ? h('input', { type: 'hidden', name: LINK, value: link }) : null,
    h('button', { type: 'submit' }, texts.send),
  );

export const thanksPage = ({
  form,
  workspace,
  texts,
}: Pick<FormShown, 'form' | 'workspace' | 'texts'>): HtmlPage =>
  documentOf(
    { texts, title: `${texts.thanksTitle} · ${workspace}`, foot: workspace },
    h('div', { role: 'status' }, tick(), message(texts.thanksTitle, form.thanks || texts.thanks)),
  );

const tick = (): ComponentChild =>
  h(
    'svg',
    { class: 'tick', viewBox: '0 0 24 24', fill: 'none', 'aria-hidden': 'true' },
    h('circle', { cx: 12, cy: 12, r: 10.5, stroke: 'currentColor', 'stroke-width': 1.5 }),
    h('path', { d: 'm7.5 12.5 3 3 6-6.5', stroke: 'currentColor', 'stroke-width': 2 }),
  );
