import { type ComponentChild, h } from 'preact';
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

const star = ({ required }: FormField): ComponentChild =>
  required ? h('span', { class: 'star', 'aria-hidden': 'true' }, ' *') : null;

/** A screen reader knows a required control by itself, but HTML has no word for "at least one of these boxes". */
const starInWords = ({ field, texts }: Asked): ComponentChild =>
  field.type === 'multi_select' && field.required
    ? h('span', { class: 'unseen' }, ` (${texts.required})`)
    : null;

/** One question: its label, what is wrong with the answer, and the control. */
export function question(asked: Asked): ComponentChild {
  const { field, problem } = asked;
  const attributes = { class: problem ? 'field has-problem' : 'field' };
  if (isGroup(field)) return group(asked, attributes);
  if (isBox(field)) return h('div', attributes, problemLine(asked), box(asked));
  return h(
    'div',
    attributes,
    h('label', { for: inputId(field.key) }, field.label, star(field)),
    hint(asked),
    problemLine(asked),
    control(asked),
  );
}

const FEW = 6;

/** A few choices of which one is required are all shown; otherwise a list, which can be left alone. */
const isGroup = ({ type, required, options }: FormField): boolean =>
  type === 'multi_select' || (type === 'select' && required && options.length <= FEW);

const isBox = ({ type }: FormField): boolean => type === 'checkbox' || type === 'consent';

const problemId = (key: string): string => `${inputId(key)}-problem`;
const hintId = (key: string): string => `${inputId(key)}-hint`;

function problemLine({ field, problem, texts }: Asked): ComponentChild {
  return problem
    ? h('p', { class: 'problem', id: problemId(field.key) }, texts.problem(problem))
    : null;
}

const hasHint = ({ type }: FormField): boolean => type === 'phone';

const hint = ({ field, texts }: Asked): ComponentChild =>
  hasHint(field) ? h('p', { class: 'hint', id: hintId(field.key) }, texts.phoneHint) : null;

/** The ids of what a screen reader reads with the control; none if there is nothing. */
function described({ field, problem }: Asked): Record<string, string> {
  const ids = [hasHint(field) ? hintId(field.key) : '', problem ? problemId(field.key) : ''];
  const by = ids.filter((id) => id !== '').join(' ');
  return {
    ...(by ? { 'aria-describedby': by } : {}),
    ...(problem ? { 'aria-invalid': 'true' } : {}),
  };
}

const common = (asked: Asked) => ({
  id: inputId(asked.field.key),
  name: inputName(asked.field.key),
  required: asked.field.required,
  ...described(asked),
});

function control(asked: Asked): ComponentChild {
  const { field, sent, texts } = asked;
  const value = sent[0] ?? '';
  if (field.type === 'long_text') return h('textarea', { ...common(asked), rows: 5 }, value);
  if (field.type !== 'select') return h('input', { ...common(asked), ...inputOf(field), value });
  const options = field.options.map((option) =>
    h('option', { value: option, selected: option.trim() === value.trim() }, option),
  );
  return h('select', common(asked), h('option', { value: '' }, texts.choose), options);
}

/** The keyboard to show, and what the browser may fill in. */
function inputOf({ type, save_to }: FormField): Record<string, string | number> {
  if (type === 'email') return { type: 'email', inputmode: 'email', autocomplete: 'email' };
  if (type === 'phone') return { type: 'tel', inputmode: 'tel', autocomplete: 'tel' };
  if (type === 'number') return { type: 'text', inputmode: 'decimal', autocomplete: 'off' };
  if (type === 'date')
    return { type: 'date', autocomplete: save_to === 'birth_date' ? 'bday' : 'off' };
  return { type: 'text', autocomplete: save_to === 'name' ? 'name' : 'off' };
}

/** A tick box. It is pre-ticked only if the person had ticked it before an error elsewhere. */
const box = (asked: Asked): ComponentChild =>
  h(
    'div',
    { class: 'choice' },
    h('input', {
      ...common(asked),
      type: 'checkbox',
      value: '1',
      checked: (asked.sent[0] ?? '') !== '',
    }),
    h('label', { for: inputId(asked.field.key) }, asked.field.label, star(asked.field)),
  );

/** Choices in a group: one (radio) or any number. A problem's link leads to the first one. */
function group(asked: Asked, attributes: { class: string }): ComponentChild {
  const { field, sent } = asked;
  const type = field.type === 'select' ? 'radio' : 'checkbox';
  const id = (i: number): string => (i === 0 ? inputId(field.key) : `${inputId(field.key)}-${i}`);
  const chosen = new Set(sent.map((option) => option.trim()));
  const choices = field.options.map((option, i) =>
    h(
      'div',
      { class: 'choice' },
      h('input', {
        type,
        id: id(i),
        name: inputName(field.key),
        value: option,
        checked: chosen.has(option.trim()),
        required: type === 'radio' && field.required,
      }),
      h('label', { for: id(i) }, option),
    ),
  );
  const { 'aria-invalid': _, ...describedBy } = described(asked);
  return h(
    'fieldset',
    { ...attributes, ...describedBy },
    h('legend', null, field.label, star(field), starInWords(asked)),
    problemLine(asked),
    choices,
  );
}
