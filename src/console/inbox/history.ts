import { listActivities } from '../../conversations/service.ts';
import { isId } from '../../ids.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { disclosure, type Fact, linkButton } from '../../pages/parts.ts';
import { idOf, type Page } from '../page.ts';
import { filteredBy } from '../parts/listing.ts';
import { actorName } from '../texts/actors.ts';
import type { Staff } from './participants.ts';
import { INBOX } from './texts.ts';

type Past = Awaited<ReturnType<typeof listActivities>>;

interface Texts {
  readonly title: string;
  readonly earlier: string;
  readonly latest: string;
  readonly notes: Readonly<Record<'handed_over' | 'referred', string>>;
  readonly activities: Readonly<Record<Past['data'][number]['type'], string>>;
}

const HISTORY: Dictionary<Texts> = {
  en: {
    title: 'What happened',
    earlier: 'What happened before',
    latest: 'What happened last',
    notes: { handed_over: 'Note', referred: 'Came by' },
    activities: {
      transferred: 'transferred',
      assigned: 'assigned',
      returned: 'given back',
      unanswered: 'left unanswered',
      handed_over: 'handed over',
      referred: 'came by an ad, a post or a product',
      closed: 'closed',
      reopened: 'opened again',
    },
  },
  'pt-BR': {
    title: 'O que aconteceu',
    earlier: 'O que aconteceu antes',
    latest: 'O que aconteceu por último',
    notes: { handed_over: 'Recado', referred: 'Veio por' },
    activities: {
      transferred: 'transferida',
      assigned: 'atribuída',
      returned: 'devolvida',
      unanswered: 'ficou sem resposta',
      handed_over: 'passada adiante',
      referred: 'veio por um anúncio, uma publicação ou um produto',
      closed: 'encerrada',
      reopened: 'aberta outra vez',
    },
  },
};

/** The address's own name for where the activities continue: `after` is that of the messages. */
const EARLIER = 'activities';

/** One page of what happened in the conversation beside its messages, newest first. */
export function pastOf(page: Page): Promise<Past> {
  const id = page.query.get(EARLIER) ?? '';
  const after = isId('act', id) ? { id, at: null } : null;
  return listActivities(page.ctx, idOf(page), { limit: 20, after });
}

/** What an automation wrote for whoever takes the conversation over, and by what the person came to write, until it is closed. */
export function notes({ lang, query }: Page, { data }: Past): Fact[] {
  const closed = data.findIndex(({ type }) => type === 'closed');
  const recent = query.has(EARLIER) ? [] : data.slice(0, closed < 0 ? data.length : closed);
  return (['handed_over', 'referred'] as const).map((kind) => {
    const note = recent.find(({ type }) => type === kind)?.note;
    return [HISTORY[lang].notes[kind], note && html`<span class="written">${note}</span>`];
  });
}

/** What happened, to whom it went and with which note. */
export function history(page: Page, { data, next }: Past, { nameOf }: Staff): Html | null {
  const texts = HISTORY[page.lang];
  const isNewest = !page.query.has(EARLIER);
  if (data.length === 0 && isNewest) return null;
  const items = data.map(
    ({ type, team_id: team, member_id: member, note, actor, created_at: at }) => {
      const name = nameOf(member) ?? nameOf(team);
      const what = texts.activities[type];
      return html`<li>${name ? INBOX[page.lang].named(what, name) : what} <span class="soft">${actorName(page.lang, actor)}, ${page.format.time(at)}</span>${
        note === '' ? null : html`<p class="written">${note}</p>`
      }</li>`;
    },
  );
  const earlier = next && linkButton(filteredBy(page, EARLIER, next.id), texts.earlier, true);
  const latest = isNewest ? null : linkButton(filteredBy(page, EARLIER, ''), texts.latest, true);
  const further = earlier || latest ? html`<p>${earlier} ${latest}</p>` : null;
  return disclosure(texts.title, html`<ul>${items}</ul>${further}`, { open: !isNewest });
}
