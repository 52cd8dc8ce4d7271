import type { HtmlPage } from '../../http/error-telling.ts';
import { hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
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
    html`<div><p class="from">${workspace}</p><h1>${form.title}</h1>${
      form.description ? html`<p class="lead">${form.description}</p>` : null
    }${failed ? summary(shown) : null}${body(shown)}</div>`,
  );
}

/** Receives the focus, so that a screen reader starts with it. */
function summary({ form, texts, problems, trouble }: FormShown): Html {
  const links = form.fields.flatMap(({ key, label }) => {
    const problem = problems.get(key);
    if (!problem) return [];
    const asked = /\p{P}$/u.test(label) ? label : `${label}:`;
    const said = `${asked} ${texts.problem(problem)}`;
    return [html`<li><a href="#${inputId(key)}">${said}</a></li>`];
  });
  const title = links.length > 0 ? texts.summary(links.length) : texts.errorWord;
  return html`<div class="summary" role="alert" tabindex="-1" autofocus><h2>${title}</h2>${
    trouble ? html`<p>${trouble}</p>` : null
  }${links.length > 0 ? html`<ul>${links}</ul>` : null}</div>`;
}

/** `novalidate`: problems are shown on the page, beside the field and in its language. */
const body = ({ form, texts, token, link, sent, problems }: FormShown): Html =>
  html`<form method="post" action="/f/${form.id}" novalidate>${
    form.fields.some(({ required }) => required)
      ? html`<p class="note">${texts.requiredNote}</p>`
      : null
  }${form.fields.map((field) =>
    question({ field, sent: sent(field.key), problem: problems.get(field.key), texts }),
  )}<div class="trap" aria-hidden="true"><label for="${TRAP}">${texts.honeypot}</label><input id="${TRAP}" name="${TRAP}" type="text" tabindex="-1" autocomplete="off"></div>${hidden(TOKEN, token)}${
    link ? hidden(LINK, link) : null
  }<button type="submit">${texts.send}</button></form>`;

export const thanksPage = ({
  form,
  workspace,
  texts,
}: Pick<FormShown, 'form' | 'workspace' | 'texts'>): HtmlPage =>
  documentOf(
    { texts, title: `${texts.thanksTitle} · ${workspace}`, foot: workspace },
    html`<div role="status">${TICK}${message(texts.thanksTitle, form.thanks || texts.thanks)}</div>`,
  );

const TICK = html`<svg class="tick" viewBox="0 0 24 24" fill="none" aria-hidden="true"><circle cx="12" cy="12" r="10.5" stroke="currentColor" stroke-width="1.5"/><path d="m7.5 12.5 3 3 6-6.5" stroke="currentColor" stroke-width="2"/></svg>`;
