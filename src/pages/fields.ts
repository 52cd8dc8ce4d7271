import { Html, html } from './html.ts';

interface FieldParts {
  readonly name: string;
  readonly label: string | Html;
  readonly hint?: string | Html;
  /** A sentence, shown beside the field and read out with it. */
  readonly error?: string | Html | undefined;
  readonly required?: boolean;
  /** Distinguishes fields of the same name in several forms or groups on a page. */
  readonly within?: string;
}

interface TextField extends FieldParts {
  readonly value?: string;
  readonly type?:
    | 'text'
    | 'email'
    | 'password'
    | 'url'
    | 'search'
    | 'number'
    | 'date'
    | 'time'
    | 'datetime-local';
  readonly autocomplete?: string;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
  /** What a browser offers while somebody writes; anything else may be written too. */
  readonly suggestions?: readonly string[];
}

/** The id of a field, to which links in a summary lead. */
export const fieldId = (name: string): string => `f-${name.replaceAll(/[^A-Za-z0-9-]/g, '-')}`;

const idOf = ({ name, within }: Pick<FieldParts, 'name' | 'within'>): string =>
  fieldId(within ? `${name}-${within}` : name);

/** Of an element around fields that have a problem together, or that are not there yet: the summary leads to it. */
export const fieldsPlace = (name: string, label: string): Html =>
  html` id="${fieldId(name)}" role="group" aria-label="${label}" tabindex="-1"`;

function described(field: FieldParts): Html {
  const { hint, error } = field;
  const id = idOf(field);
  const ids = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return html`${ids ? html` aria-describedby="${ids}"` : null}${error ? html` aria-invalid="true"` : null}`;
}

function notes(field: FieldParts): Html {
  const { hint, error } = field;
  const id = idOf(field);
  return html`${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}${
    error ? html`<p class="problem" id="${id}-error">${error}</p>` : null
  }`;
}

const wrap = (field: FieldParts, control: Html): Html =>
  html`<div class="field${field.error ? ' has-problem' : ''}"><label for="${idOf(field)}">${field.label}</label>${notes(field)}${control}</div>`;

/** An attribute without a value; none if it is not on. */
export const flag = (name: string, on: boolean | undefined): Html | null =>
  on ? html` ${name}` : null;

/** An attribute; none without a value. */
export const attribute = (name: string, value: string | number | undefined): Html | null =>
  value === undefined ? null : html` ${name}="${value}"`;

/** A one-line field with its label, hint and error. */
export function textField(field: TextField): Html {
  const list = field.suggestions && `${idOf(field)}-list`;
  const offered = list
    ? html`<datalist id="${list}">${field.suggestions?.map((value) => html`<option value="${value}">`)}</datalist>`
    : null;
  return wrap(
    field,
    html`<input id="${idOf(field)}" name="${field.name}" type="${field.type ?? 'text'}" value="${field.value ?? ''}"${attribute('list', list)}${attribute('autocomplete', field.autocomplete)}${attribute('maxlength', field.maxLength)}${flag('required', field.required)}${flag('autofocus', field.autofocus)}${described(field)}>${offered}`,
  );
}

/**
 * Fields needed only for one choice in the same form, and hidden for the others. The style sheet knows the choice by
 * this name: no script is needed, and old browsers show them all.
 */
export const onlyFor = (choice: string, fields: Html): Html =>
  html`<div class="for-${choice}">${fields}</div>`;

interface AreaField extends FieldParts {
  readonly value?: string;
  readonly rows?: number;
  /** Text for machines: monospaced, without spell checking. */
  readonly code?: boolean;
}

/** A text field with several lines. */
export const areaField = (field: AreaField): Html =>
  wrap(
    field,
    // Browsers drop a line break right after the tag, so one is added to keep the reader's.
    html`<textarea id="${idOf(field)}" name="${field.name}" rows="${field.rows ?? 4}"${field.code ? html` class="code" spellcheck="false" autocapitalize="off"` : null}${flag('required', field.required)}${described(field)}>\n${field.value ?? ''}</textarea>`,
  );

interface FileField extends FieldParts {
  /** Media types and endings that a browser offers first. */
  readonly accept?: readonly string[];
}

/** A file of the reader's, in a form that is sent as such. A browser forgets it when the form is refused. */
export const fileField = (field: FileField): Html =>
  wrap(
    field,
    html`<input id="${idOf(field)}" name="${field.name}" type="file"${attribute('accept', field.accept?.join(','))}${flag('required', field.required)}${described(field)}>`,
  );

/** One of the values that a field offers. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

/** A drop-down field. */
export const selectField = (
  field: FieldParts & { readonly options: readonly Option[]; readonly value?: string },
): Html =>
  wrap(
    field,
    html`<select id="${idOf(field)}" name="${field.name}"${flag('required', field.required)}${described(field)}>${field.options.map(
      ({ value, label }) =>
        html`<option value="${value}"${flag('selected', value === field.value)}>${label}</option>`,
    )}</select>`,
  );

interface Choice extends Option {
  readonly hint?: string | Html;
  /** Marked as potentially harmful. */
  readonly danger?: boolean;
}

interface ChoicesField extends FieldParts {
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
}

/** Boxes under one legend, any number of which can be ticked. */
export const checkboxes = (field: ChoicesField): Html => group(field, 'checkbox');

/** Boxes of which exactly one is chosen. */
export const radios = (field: ChoicesField): Html => group(field, 'radio');

function group(field: ChoicesField, type: 'checkbox' | 'radio'): Html {
  const { name, label, choices, chosen } = field;
  const id = idOf(field);
  return html`<fieldset class="field${field.error ? ' has-problem' : ''}" id="${id}" tabindex="-1"${described(field)}><legend>${label}</legend>${notes(field)}${choices.map(
    (choice, i) =>
      tick({ ...choice, name, type, id: `${id}-${i}`, checked: chosen.includes(choice.value) }),
  )}</fieldset>`;
}

interface Tick extends Choice {
  readonly name: string;
  readonly type: 'checkbox' | 'radio';
  readonly id: string;
  readonly checked: boolean;
}

const tick = ({ name, type, id, value, label, hint, danger, checked }: Tick): Html =>
  html`<div class="choice${danger ? ' danger' : ''}"><input type="${type}" id="${id}" name="${name}" value="${value}"${flag('checked', checked)}${hint ? html` aria-describedby="${id}-hint"` : null}><div><label for="${id}">${label}</label>${
    hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null
  }</div></div>`;

interface Box extends Choice, Pick<FieldParts, 'name' | 'within'> {
  readonly checked: boolean;
}

/** A single box. */
export const checkbox = (box: Box): Html =>
  html`<div class="field">${tick({ ...box, type: 'checkbox', id: idOf(box) })}</div>`;

/** A hidden value that the form sends along. The reader can change it, so it is checked like all input. */
export const hidden = (name: string, value: string, form?: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}"${attribute('form', form)}>`;

interface Summary {
  readonly title: string;
  /** By field, which may have several; "" for problems without one. */
  readonly problems: Iterable<readonly [field: string, text: string | Html]>;
  /** For fields of which there are several with the same name. */
  readonly within?: string;
  /** What the page shows, where the fields have their labels; a problem is named after its field's. */
  readonly content?: Html;
}

/** Above a refused form: the problems, each linked to its field. */
export function problemSummary({ title, problems, within = '', content }: Summary): Html | null {
  const all = [...problems];
  if (all.length === 0) return null;
  const linked = (name: string, text: string | Html): Html | string => {
    const ids = [idOf({ name, within }), fieldId(name)];
    const id = content ? ids.find((one) => content.text.includes(` id="${one}"`)) : ids[0];
    if (name === '' || id === undefined) return text;
    const label = content ? labelIn(content, id) : '';
    return html`<a href="#${id}">${new Html(label)}${text}</a>`;
  };
  return html`<div class="summary" role="alert" tabindex="-1" autofocus><h2>${title}</h2><ul>${all.map(
    ([name, text]) => html`<li>${linked(name, text)}</li>`,
  )}</ul></div>`;
}

/** What a field or a group of them is called there, before what is said of it: plain words, though they may be unseen. */
function labelIn({ text }: Html, id: string): string {
  const places = [
    `<label for="${id}">(.*?)</label>`,
    `<fieldset[^>]* id="${id}"[^>]*><legend>(.*?)</legend>`,
    ` id="${id}"[^>]* aria-label="([^"]*)"`,
  ];
  const label = new RegExp(places.join('|'), 's').exec(text)?.slice(1).find(Boolean);
  const words = label?.replaceAll(/<[^>]*>/g, '').trim() ?? '';
  return words === '' ? '' : `${words}${words.endsWith('?') ? '' : ':'} `;
}
