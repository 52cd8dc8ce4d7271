import { contactNames, type NamedContact, nameOfContact } from '../../contacts/names.ts';
import { OUTCOMES } from '../../forms/rules.ts';
import { listSubmissions } from '../../forms/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { definitions, disclosure, table } from '../../pages/parts.ts';
import { idOf, type Page } from '../page.ts';
import { allOrOne, chips, following, oneOf, pageAfter } from '../parts/listing.ts';
import { FORMS } from './texts.ts';

type Submission = Awaited<ReturnType<typeof listSubmissions>>['data'][number];
type Value = Submission['answers'][string]['value'];

/** Submissions, newest first. */
export async function submissions(page: Page): Promise<Html> {
  const texts = FORMS[page.lang];
  const outcome = oneOf(page, 'outcome', OUTCOMES);
  const after = pageAfter(page, 'sub');
  const { data, next } = await listSubmissions(page.ctx, idOf(page), { outcome }, after);
  const names = await contactNames(
    page.ctx,
    data.flatMap(({ contact_id: id, conflict_contact_id: other }) => [id, other ?? '']),
  );
  const rows = data.map((one) => {
    const other = linkTo(page, names, one.conflict_contact_id ?? '');
    return [
      page.format.time(one.created_at),
      linkTo(page, names, one.contact_id) ?? texts.gone,
      html`${texts.outcomes[one.outcome]}${other ? html`: ${other}` : null}`,
      answersOf(page, one),
    ];
  });
  return html`<h2>${texts.submissions}</h2>
${chips(page, 'outcome', allOrOne(texts.all, OUTCOMES, texts.outcomes), texts.outcome)}
${table({ caption: texts.submissions, columns: texts.submissionColumns, none: texts.noSubmissions, rows })}
${following(page, next)}`;
}

function linkTo(
  { base, lang }: Page,
  names: ReadonlyMap<string, NamedContact>,
  id: string,
): Html | null {
  const contact = names.get(id);
  if (!contact) return null;
  return html`<a href="${base}/contacts/${id}">${nameOfContact(contact, FORMS[lang].contact)}</a>`;
}

function answersOf({ lang, format }: Page, { answers }: Submission): Html | null {
  const all = Object.values(answers);
  if (all.length === 0) return null;
  const shown = all.map(({ label, value }): [string, string] => [label, read(lang, value)]);
  return disclosure(format.number(all.length), definitions(shown));
}

function read(lang: Page['lang'], value: Value): string {
  if (typeof value === 'boolean') return FORMS[lang][value ? 'yes' : 'no'];
  return Array.isArray(value) ? value.join(', ') : String(value ?? '–');
}
