import { type AuditRecord, listAudit } from '../../audit/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { disclosure, linkButton, table } from '../../pages/parts.ts';
import type { ConsolePage, Page } from '../page.ts';
import { filteredBy, followingIn } from '../parts/listing.ts';
import { actorName } from '../texts/actors.ts';
import { actionText } from './actions.ts';
import { BY, filtersOf, narrowings, OF } from './narrowing.ts';

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string, string];
  readonly by: Readonly<Record<string, string>>;
  readonly behalf: string;
  readonly through: string;
  readonly empty: string;
  readonly csv: string;
}

const AUDIT: Dictionary<Texts> = {
  en: {
    nav: 'Audit log',
    lead: 'Who did what. Entries cannot be changed or deleted; secrets and messages never enter.',
    none: 'Nothing yet.',
    columns: ['When', 'Who', 'What', 'On', 'Changes'],
    by: { service_account: 'API key', system: 'the service', automation: 'automation', app: 'app' },
    behalf: 'on behalf of',
    through: 'from',
    empty: 'empty',
    csv: 'As a CSV file',
  },
  'pt-BR': {
    nav: 'Auditoria',
    lead: 'Quem fez o quê. Os registros não mudam nem se apagam; segredos e mensagens nunca entram.',
    none: 'Nada ainda.',
    columns: ['Quando', 'Quem', 'O quê', 'Em', 'Mudanças'],
    by: {
      service_account: 'chave de API',
      system: 'o serviço',
      automation: 'automação',
      app: 'app',
    },
    behalf: 'em nome de',
    through: 'de',
    empty: 'vazio',
    csv: 'Em um arquivo CSV',
  },
};

const PAGE = 50;
/** In the address: the log is read from before this entry. */
const BEFORE = 'before';

export const auditPage: ConsolePage = {
  path: '/audit',
  permission: 'audit.read',
  nav: { group: 'workspace', name: (lang) => AUDIT[lang].nav },
  view: async (page) => {
    const texts = AUDIT[page.lang];
    const part = { before: beforeOf(page), limit: PAGE + 1 };
    const entries = await listAudit(page.ctx, part, filtersOf(page));
    const shown = entries.slice(0, PAGE);
    const last = entries.length > PAGE ? shown.at(-1) : undefined;
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1><p class="soft">${texts.lead}</p><p>${linkButton(fileOf(page), texts.csv, true)}</p>
${await narrowings(page)}${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: shown.map((entry) => rowOf(page, entry)),
})}${followingIn(page, BEFORE, last ? String(last.seq) : null)}`,
    };
  },
};

/** The file of what is shown here, from the newest on. */
const fileOf = (page: Page): string =>
  filteredBy({ ...page, path: `${page.path}.csv` }, BEFORE, '');

function beforeOf({ query }: Page): number | null {
  const text = query.get(BEFORE) ?? '';
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

function rowOf(page: Page, entry: AuditRecord): (Html | string | null)[] {
  const { format } = page;
  const { target, changes } = entry;
  return [
    format.time(entry.createdAt),
    whoOf(page, entry),
    whatOf(page, entry.action),
    target.name || html`<code>${target.id}</code>`,
    changes.length === 0
      ? null
      : disclosure(
          format.number(changes.length),
          html`<ul>${changes.map(
            ({ field, from, to }) =>
              html`<li><code>${field}</code>: ${shownValue(page, from)} → ${shownValue(page, to)}</li>`,
          )}</ul>`,
        ),
  ];
}

/** Entries of before the person was named show who it was by the id. */
function whoOf(page: Page, { actor, ip, byWhom }: AuditRecord): Html {
  const { lang } = page;
  const { by, behalf, through } = AUDIT[lang];
  const own = (name: Html | string): Html => narrowing(page, BY, byWhom, name);
  const kind = by[actor.type];
  const person = actor.member_name ?? html`<code>${actor.member_id}</code>`;
  const name = actorName(lang, actor);
  return html`${actor.app_id ? name : own(name)}${kind ? html` <span class="soft">(${kind})</span>` : null}${
    actor.app_id ? html`<br>${behalf} ${own(person)}` : null
  }${ip ? html`<br><span class="soft">${through} ${ip}</span>` : null}`;
}

/** The sentence leads to all that say the same, the domain to all of its kind. */
function whatOf(page: Page, action: string): Html {
  const said = actionText(page.lang, action);
  const [domain = '', verb = ''] = action.split('.');
  const all = (of: string, text: string): Html => narrowing(page, OF, of, text);
  if (!said) return html`<code>${all(action, action)}</code>`;
  return html`${all(action, said)}<br><code>${all(domain, domain)}.${verb}</code>`;
}

/** From the newest of them on. */
const narrowing = (page: Page, name: string, value: string, text: Html | string): Html => {
  const query = new URLSearchParams(page.query);
  query.delete(BEFORE);
  return html`<a href="${filteredBy({ ...page, query }, name, value)}">${text}</a>`;
};

function shownValue({ lang, format }: Page, value: unknown): string {
  const { empty } = AUDIT[lang];
  if (value === null || value === '') return empty;
  if (isMoment(value)) return format.time(value);
  return Array.isArray(value) ? value.join(', ') || empty : String(value);
}

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));
