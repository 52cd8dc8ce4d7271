import { takesTemplates } from '../../conversations/sending/checks.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { canSend } from '../../numbers/rules.ts';
import { fieldsPlace, hidden, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { codes, definitions, emptyState, linkButton, named, table } from '../../pages/parts.ts';
import { placesOf } from '../../templates/rules.ts';
import { findTemplate, listTemplates } from '../../templates/service.ts';
import { crumbs } from '../frame/heading.ts';
import { allOf, field, type Page, type View } from '../page.ts';
import { form } from '../parts/form.ts';
import { chips, EVERYBODY, following } from '../parts/listing.ts';
import { TEMPLATES } from './texts.ts';

type NumberView = Awaited<ReturnType<typeof listNumbers>>['data'][number];
type TemplateView = Awaited<ReturnType<typeof listTemplates>>['data'][number];

/** Whether a template can go out by it now. */
export const sendsTemplates = ({ status, capabilities }: NumberView): boolean =>
  canSend(status) && capabilities.templates;

/** The numbers by which a template can go out now, of those that the person sees. */
export const templateNumbers = async ({ ctx }: Page): Promise<NumberView[]> =>
  (await listNumbers(ctx, EVERYBODY)).data.filter(sendsTemplates);

interface Talk {
  readonly id: string;
  readonly number_id: string;
}

/** From a conversation with a person whom one would reach, if its number sends templates. */
export async function linkToTemplates(
  page: Page,
  { id: talk, number_id: numberId }: Talk,
): Promise<Html | null> {
  if (!(await takesTemplates(page.ctx, talk))) return null;
  const numbers = await templateNumbers(page);
  return numbers.some(({ id }) => id === numberId)
    ? html`<p>${linkButton(`${page.path}/template`, TEMPLATES[page.lang].title, true)}</p>`
    : null;
}

/** What was sent of the form, in the words of the operations. */
export const templateIn = (page: Pick<Page, 'sent'>) => ({
  name: field(page, 'name'),
  language: field(page, 'language'),
  parameters: allOf(page, 'parameters'),
});

/** What is wrong with the addressee has no field; what is wrong with the template leads to where it is chosen. */
export const TEMPLATE_PROBLEMS = { contact_id: '', unknown_number: '', template: 'parameters' };

interface Choosing {
  readonly numbers: readonly NumberView[];
  /** The pages above, by their paths and names. */
  readonly above: readonly (readonly [path: string, name: string])[];
}

/** The approved templates of a number; of the chosen one, the form with its parameters that does `send`. */
export async function templateChoice(page: Page, { numbers, above }: Choosing): Promise<View> {
  const texts = TEMPLATES[page.lang];
  const given = (name: string): string =>
    page.sent.size > 0 ? field(page, name) : (page.query.get(name) ?? '');
  const asked = given('number_id');
  const number = numbers.find(({ id }) => id === asked) ?? numbers[0];
  // One that can no longer send is not quietly another one.
  const chosen =
    number && (asked === '' || asked === number.id)
      ? await findTemplate(page.ctx, {
          number_id: number.id,
          name: given('name'),
          language: given('language'),
        })
      : null;
  const list = async () => (number ? templates(page, numbers, number) : emptyState(texts.unable));
  return {
    title: texts.title,
    content: html`${crumbs(page, ...above)}<h1>${texts.title}</h1>
<div${fieldsPlace('parameters', texts.title)}>${chosen ? parameters(page, numbers, chosen) : await list()}</div>`,
  };
}

async function templates(
  page: Page,
  numbers: readonly NumberView[],
  { id: number_id }: NumberView,
): Promise<Html> {
  const texts = TEMPLATES[page.lang];
  const after = page.query.get('after');
  const place = after === null ? null : { id: after, at: null };
  const { data, next } = await listTemplates(page.ctx, { number_id }, { limit: 50, after: place });
  const offered = numbers.map(({ id, name }, i) => [i === 0 ? '' : id, name] as const);
  const linkTo = ({ name, language }: TemplateView): string =>
    `${page.path}?${new URLSearchParams({ number_id, name, language })}`;
  return html`<p class="soft">${texts.lead}</p>
${numbers.length < 2 ? null : chips(page, 'number_id', offered, texts.number)}
${table({
  caption: texts.title,
  columns: texts.columns,
  none: texts.none,
  rows: data.map((one) => [
    html`<a href="${linkTo(one)}"><code>${named(one.name, one.language)}</code></a>`,
    codes([one.language]),
    html`<span class="written">${one.body}</span>`,
  ]),
})}${following(page, next)}`;
}

function parameters(
  page: Page,
  numbers: readonly NumberView[],
  { number_id, name, language, body }: TemplateView,
): Html {
  const texts = TEMPLATES[page.lang];
  const written = allOf(page, 'parameters');
  const fields = placesOf(body).map((place, i) =>
    textField({
      name: 'parameters',
      within: String(i),
      label: texts.parameter(place),
      value: written[i] ?? '',
      required: true,
      error: page.faults.find(({ path }) => path === `template.parameters[${i}]`)?.text,
    }),
  );
  const marks = Object.entries({ number_id, name, language }).map(([mark, value]) =>
    hidden(mark, value),
  );
  const by = numbers.length < 2 ? [] : numbers.filter(({ id }) => id === number_id);
  return html`${definitions([
    ...by.map((number) => [texts.number, number.name] as const),
    [texts.columns[0], codes([name, language])],
    [texts.text, html`<span class="written">${body}</span>`],
  ])}
${form(page, 'send', html`${marks}${fields}<button>${texts.send}</button>`)}
<p><a href="${page.path}">${texts.other}</a></p>`;
}
