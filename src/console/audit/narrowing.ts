import { type AuditFilters, type AuditRecord, listAudit } from '../../audit/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import type { Page } from '../page.ts';
import { narrowedTo } from '../parts/narrowing.ts';
import { actorName } from '../texts/actors.ts';
import { actionsOf, actionText } from './actions.ts';

interface Texts {
  readonly who: string;
  readonly anybody: string;
  readonly service: string;
  readonly what: string;
  readonly anything: string;
}

const TEXTS: Dictionary<Texts> = {
  en: {
    who: 'Who',
    anybody: 'Show what everybody did',
    service: 'the service',
    what: 'What',
    anything: 'Show everything that was done',
  },
  'pt-BR': {
    who: 'Quem',
    anybody: 'Mostrar o que todos fizeram',
    service: 'o serviço',
    what: 'O quê',
    anything: 'Mostrar tudo o que foi feito',
  },
};

/** In the address: who did it, and an action or its domain. */
export const BY = 'actor';
export const OF = 'action';

const WHOM = /^[a-z]+(?:_\w+)?$/;
const ACTION = /^[a-z_]+(?:\.[a-z_]+)?$/;

interface Narrowing {
  readonly by: string | undefined;
  readonly of: string | undefined;
}

function narrowingOf({ query }: Pick<Page, 'query'>): Narrowing {
  const by = query.get(BY) ?? '';
  const of = query.get(OF) ?? '';
  return { by: WHOM.test(by) ? by : undefined, of: ACTION.test(of) ? of : undefined };
}

/** To which entries the address narrows the log. */
export function filtersOf(page: Pick<Page, 'query'>): AuditFilters {
  const { by, of } = narrowingOf(page);
  const actions = of?.includes('.') ? [of] : of && actionsOf(of);
  return { by, actions: actions || undefined };
}

/** Says above the log what it is narrowed to. */
export async function narrowings(page: Page): Promise<(Html | null)[]> {
  const texts = TEXTS[page.lang];
  const { by, of } = narrowingOf(page);
  const said = of && (actionText(page.lang, of) ?? html`<code>${of}</code>`);
  return [
    by
      ? narrowedTo(page, BY, {
          label: texts.who,
          record: await whoIs(page, by),
          all: texts.anybody,
        })
      : null,
    said ? narrowedTo(page, OF, { label: texts.what, record: said, all: texts.anything }) : null,
  ];
}

/** By the name in their last entry. */
async function whoIs(page: Page, by: string): Promise<Html | string> {
  if (by === 'system') return TEXTS[page.lang].service;
  const [last] = await listAudit(page.ctx, { before: null, limit: 1 }, { by });
  return (last && nameIn(page, last)) ?? html`<code>${by}</code>`;
}

const nameIn = ({ lang }: Page, { actor }: AuditRecord): string | null =>
  actor.app_id ? (actor.member_name ?? null) : actorName(lang, actor);
