import {
  areRowsGone,
  beginImport,
  cancelImport,
  getImport,
  listImportRows,
  listImports,
  MAX_IMPORT_BYTES,
} from '../../contacts/imports/service.ts';
import { IMPORT_OUTCOMES, type IMPORT_STATUSES, isOpen } from '../../contacts/rules.ts';
import { validation } from '../../errors.ts';
import type { PageRequest } from '../../http/route.ts';
import { fileField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, emptyState, figures, type Tone, table } from '../../pages/parts.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { asksAgain } from '../frame/live.ts';
import { type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { form, uploadForm } from '../parts/form.ts';
import { allOrOne, chips, following, oneOf, pageAfter } from '../parts/listing.ts';
import { problemText } from '../texts/refusals.ts';
import { CONTACTS } from './texts.ts';

type Import = Awaited<ReturnType<typeof getImport>>;

const MEGABYTE = 1024 * 1024;

const TONES: Readonly<Record<(typeof IMPORT_STATUSES)[number], Tone>> = {
  pending: 'plain',
  running: 'good',
  done: 'plain',
  cancelled: 'warn',
  failed: 'bad',
};

const statusOf = ({ lang }: Page, { status }: Import): Html =>
  badge(CONTACTS[lang].importStatuses[status], TONES[status]);

/** The imported files, and the form for another one. */
export const importsPage: ConsolePage = {
  path: '/contacts/imports',
  permission: 'contacts.read',
  upload: { maxBytes: MAX_IMPORT_BYTES, permission: 'contacts.import' },
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const { data, next } = await listImports(page.ctx, pageAfter(page, 'imp'));
    return {
      title: texts.imports,
      content: html`${crumbs(page, ['/contacts', texts.nav])}
<h1>${texts.imports}</h1>
${page.may('contacts.import') ? beginning(page) : null}
${table({
  caption: texts.imports,
  columns: texts.importColumns,
  none: texts.noImports,
  rows: data.map((one) => [
    html`<a href="${page.base}/contacts/imports/${one.id}">${one.file_name}</a>`,
    statusOf(page, one),
    page.format.number(one.total),
    page.format.time(one.created_at),
  ]),
})}${following(page, next)}`,
    };
  },
  actions: {
    import: {
      permission: 'contacts.import',
      once: true,
      run: async (page): Promise<Done> => {
        const { file, lang } = page;
        if (!file)
          throw validation([{ path: 'file', rule: 'required', message: 'Choose a file.' }]);
        const { id } = await beginImport(page.ctx, file);
        return { to: `/contacts/imports/${id}`, flash: { text: CONTACTS[lang].begun } };
      },
    },
  },
};

function beginning(page: Page): Html {
  const texts = CONTACTS[page.lang];
  const file = fileField({
    name: 'file',
    label: texts.file,
    required: true,
    accept: ['.csv', 'text/csv'],
    hint: texts.fileHint(page.format.number(MAX_IMPORT_BYTES / MEGABYTE)),
    error: page.problems.get('file'),
  });
  return html`<section class="card"><h2>${texts.import}</h2><p>${texts.importLead}</p>${uploadForm(
    page,
    'import',
    html`${file}<button>${texts.import}</button>`,
  )}</section>`;
}

/** The progress of an import, and the outcome of each row. */
export const importPage: ConsolePage = {
  path: '/contacts/imports/:id',
  id: 'imp',
  permission: 'contacts.read',
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const one = await getImport(page.ctx, idOf(page));
    const isOn = isOpen(one.status);
    const state = isOn ? 'on' : 'over';
    return {
      title: one.file_name,
      live: isOn,
      state,
      content: html`${crumbs(page, ['/contacts', texts.nav], ['/contacts/imports', texts.imports])}
<div id="import"${isOn ? asksAgain(page, { id: 'import', seconds: 2, state }) : null}>
${bar(one.file_name, statusOf(page, one))}
${progress(page, one)}
</div>
${
  isOn && page.may('contacts.import')
    ? form(page, 'stop', html`<button class="quiet">${texts.stop}</button>`)
    : null
}
${await rows(page, one)}`,
    };
  },
  actions: {
    stop: {
      permission: 'contacts.import',
      once: true,
      run: async (page): Promise<Done> => {
        await cancelImport(page.ctx, idOf(page));
        const { stopped } = CONTACTS[page.lang];
        return { to: `/contacts/imports/${idOf(page)}`, flash: { text: stopped } };
      },
    },
  },
};

function progress({ lang, format }: Page, one: Import): Html {
  const texts = CONTACTS[lang];
  const done = IMPORT_OUTCOMES.reduce((sum, outcome) => sum + one[outcome], 0);
  return html`<progress max="${Math.max(1, one.total)}" value="${done}" aria-label="${texts.progress}"></progress>${figures(
    [
      { name: texts.rows, value: format.number(one.total) },
      ...IMPORT_OUTCOMES.map((outcome) => ({
        name: texts.outcomes[outcome],
        value: format.number(one[outcome]),
      })),
    ],
  )}`;
}

/** Rows have no id of their own, so a page continues after a line of the file. */
function afterLine({ query }: Page): PageRequest {
  const after = query.get('after') ?? '';
  return { limit: 50, after: /^\d{1,9}$/.test(after) ? { id: after, at: null } : null };
}

async function rows(page: Page, one: Import): Promise<Html> {
  const texts = CONTACTS[page.lang];
  const outcome = oneOf(page, 'outcome', IMPORT_OUTCOMES);
  const { data, next } = await listImportRows(page.ctx, idOf(page), { outcome }, afterLine(page));
  return html`<h2>${texts.rows}</h2>${chips(page, 'outcome', allOrOne(texts.all, IMPORT_OUTCOMES, texts.outcomes), texts.rows)}${
    data.length === 0
      ? emptyState((await areRowsGone(page.ctx, idOf(page))) ? texts.rowsGone : texts.noRows)
      : table({
          caption: texts.rows,
          columns: texts.rowColumns,
          rows: data.map((row) => [
            row.line,
            outcomeOf(page, row, one),
            row.problems.map((problem) => reasonOf(page, problem)).join(' '),
          ]),
        })
  }${following(page, next)}`;
}

type Row = Awaited<ReturnType<typeof listImportRows>>['data'][number];

/** A row without an outcome waits, until its import is over. */
function outcomeOf(
  { lang, base }: Page,
  { outcome, contact_id: id }: Row,
  { status }: Import,
): Html | string {
  const { outcomes, importStatuses } = CONTACTS[lang];
  if (!outcome) return importStatuses[isOpen(status) ? 'pending' : 'cancelled'];
  return id ? html`<a href="${base}/contacts/${id}">${outcomes[outcome]}</a>` : outcomes[outcome];
}

/** With the column's name, unless it is about the row as a whole. */
function reasonOf({ lang }: Page, problem: Row['problems'][number]): string {
  const text = problemText(lang, problem);
  return problem.path === '' ? text : `${problem.path}: ${text}`;
}
