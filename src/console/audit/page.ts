import { type AuditRecord, listAudit } from '../../audit/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary, Language } from '../../pages/language.ts';
import { disclosure, linkButton, table } from '../../pages/parts.ts';
import type { ConsolePage, Page } from '../page.ts';
import { followingIn } from '../parts/listing.ts';
import { actorName } from '../texts/actors.ts';
import { actionText } from './actions.ts';

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
    csv: 'All of it as a CSV file',
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
    csv: 'Tudo em um arquivo CSV',
  },
};

const PAGE = 50;

export const auditPage: ConsolePage = {
  path: '/audit',
  permission: 'audit.read',
  nav: { group: 'workspace', name: (lang) => AUDIT[lang].nav },
  view: async (page) => {
    const texts = AUDIT[page.lang];
    const entries = await listAudit(page.ctx, { before: beforeOf(page), limit: PAGE + 1 });
    const shown = entries.slice(0, PAGE);
    const last = entries.length > PAGE ? shown.at(-1) : undefined;
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1><p class="soft">${texts.lead}</p><p>${linkButton(`${page.path}.csv`, texts.csv, true)}</p>
${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: shown.map((entry) => rowOf(page, entry)),
})}${followingIn(page, 'before', last ? String(last.seq) : null)}`,
    };
  },
};

function beforeOf({ query }: Page): number | null {
  const text = query.get('before') ?? '';
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

function rowOf(page: Page, entry: AuditRecord): (Html | string | null)[] {
  const { lang, format } = page;
  const { target, changes } = entry;
  return [
    format.time(entry.createdAt),
    whoOf(lang, entry),
    whatOf(lang, entry.action),
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
function whoOf(lang: Language, { actor, ip }: AuditRecord): Html {
  const { by, behalf, through } = AUDIT[lang];
  const kind = by[actor.type];
  const person = actor.member_name ?? html`<code>${actor.member_id}</code>`;
  return html`${actorName(lang, actor)}${kind ? html` <span class="soft">(${kind})</span>` : null}${
    actor.app_id ? html`<br>${behalf} ${person}` : null
  }${ip ? html`<br><span class="soft">${through} ${ip}</span>` : null}`;
}

function whatOf(lang: Language, action: string): Html {
  const said = actionText(lang, action);
  return html`${said ? html`${said}<br>` : null}<code>${action}</code>`;
}

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
