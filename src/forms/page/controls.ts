import { attribute, flag } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Problem } from '../answers.ts';
import type { FormField } from '../rules.ts';
import type { Texts } from './texts.ts';

/** The name of a field's answers in the submitted form. */
export const inputName = (key: string): string => `a_${key}`;

/** The element that a problem's link leads to. */
export const inputId = (key: string): string => `f-${key}`;

export interface Asked {
  readonly field: FormField;
  /** What the person entered before, as it was sent. */
  readonly sent: readonly string[];
  readonly problem: Problem | undefined;
  readonly texts: Texts;
}

const star = ({ required }: FormField): Html | null =>
  required ? html`<span class="star" aria-hidden="true"> *</span>` : null;

/** A screen reader knows a required control by itself, but HTML has no word for "at least one of these boxes". */
const starInWords = ({ field, texts }: Asked): Html | null =>
  field.type === 'multi_select' && field.required
    ? html`<span class="unseen"> (${texts.required})</span>`
    : null;

const classOf = ({ problem }: Asked): string => (problem ? 'field has-problem' : 'field');

/** One question: its label, what is wrong with the answer, and the control. */
export function question(asked: Asked): Html {
  if (isGroup(asked.field)) return group(asked);
  const content = isBox(asked.field)
    ? html`${problemLine(asked)}<div class="choice">${box(asked)}${label(asked)}</div>`
    : html`${label(asked)}${hint(asked)}${problemLine(asked)}${control(asked)}`;
  return html`<div class="${classOf(asked)}">${content}</div>`;
}

const label = ({ field }: Asked): Html =>
  html`<label for="${inputId(field.key)}">${field.label}${star(field)}</label>`;

const FEW = 6;

/** A few choices of which one is required are all shown; otherwise a list, which can be left alone. */
const isGroup = ({ type, required, options }: FormField): boolean =>
  type === 'multi_select' || (type === 'select' && required && options.length <= FEW);

const isBox = ({ type }: FormField): boolean => type === 'checkbox' || type === 'consent';

const problemId = (key: string): string => `${inputId(key)}-problem`;
const hintId = (key: string): string => `${inputId(key)}-hint`;

const problemLine = ({ field, problem, texts }: Asked): Html | null =>
  problem
    ? html`<p class="problem" id="${problemId(field.key)}">${texts.problem(problem)}</p>`
    : null;

const hasHint = ({ type }: FormField): boolean => type === 'phone';

const hint = ({ field, texts }: Asked): Html | null =>
  hasHint(field) ? html`<p class="hint" id="${hintId(field.key)}">${texts.phoneHint}</p>` : null;

/** The ids of what a screen reader reads with the control. */
function described({ field, problem }: Asked): Html | null {
  const ids = [hasHint(field) ? hintId(field.key) : '', problem ? problemId(field.key) : ''];
  return attribute('aria-describedby', ids.filter(Boolean).join(' ') || undefined);
}

const common = (asked: Asked): Html =>
  html` id="${inputId(asked.field.key)}" name="${inputName(asked.field.key)}"${flag('required', asked.field.required)}${described(asked)}${asked.problem ? html` aria-invalid="true"` : null}`;

function control(asked: Asked): Html {
  const { field, sent, texts } = asked;
  const value = sent[0] ?? '';
  if (field.type === 'long_text')
    // Browsers drop a line break right after the tag, so one is added to keep the person's.
    return html`<textarea${common(asked)} rows="5">\n${value}</textarea>`;
  if (field.type !== 'select')
    return html`<input${common(asked)}${inputOf(field)} value="${value}">`;
  const options = field.options.map(
    (option) =>
      html`<option value="${option}"${flag('selected', option.trim() === value.trim())}>${option}</option>`,
  );
  return html`<select${common(asked)}><option value="">${texts.choose}</option>${options}</select>`;
}

/** The keyboard to show, and what the browser may fill in. */
function inputOf({ type, save_to }: FormField): Html {
  if (type === 'email') return html` type="email" inputmode="email" autocomplete="email"`;
  if (type === 'phone') return html` type="tel" inputmode="tel" autocomplete="tel"`;
  if (type === 'number') return html` type="text" inputmode="decimal" autocomplete="off"`;
  if (type === 'date')
    return html` type="date" autocomplete="${save_to === 'birth_date' ? 'bday' : 'off'}"`;
  return html` type="text" autocomplete="${save_to === 'name' ? 'name' : 'off'}"`;
}

/** A tick box. It is pre-ticked only if the person had ticked it before an error elsewhere. */
const box = (asked: Asked): Html =>
  html`<input${common(asked)} type="checkbox" value="1"${flag('checked', (asked.sent[0] ?? '') !== '')}>`;

/** Choices in a group: one (radio) or any number. A problem's link leads to the first one. */
function group(asked: Asked): Html {
  const { field, sent } = asked;
  const type = field.type === 'select' ? 'radio' : 'checkbox';
  const id = (i: number): string => (i === 0 ? inputId(field.key) : `${inputId(field.key)}-${i}`);
  const chosen = new Set(sent.map((option) => option.trim()));
  const choices = field.options.map(
    (option, i) =>
      html`<div class="choice"><input type="${type}" id="${id(i)}" name="${inputName(field.key)}" value="${option}"${flag('checked', chosen.has(option.trim()))}${flag('required', type === 'radio' && field.required)}><label for="${id(i)}">${option}</label></div>`,
  );
  return html`<fieldset class="${classOf(asked)}"${described(asked)}><legend>${field.label}${star(field)}${starInWords(asked)}</legend>${problemLine(asked)}${choices}</fieldset>`;
}
