import { listActivities } from '../../conversations/service.ts';
import { isId } from '../../ids.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { disclosure, linkButton } from '../../pages/parts.ts';
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
  readonly activities: Readonly<Record<Past['data'][number]['type'], string>>;
}

const HISTORY: Dictionary<Texts> = {
  en: {
    title: 'What happened',
    earlier: 'What happened before',
    latest: 'What happened last',
    activities: {
      transferred: 'transferred',
      assigned: 'assigned',
      returned: 'given back',
      unanswered: 'left unanswered',
      handed_over: 'handed over',
      closed: 'closed',
      reopened: 'opened again',
    },
  },
  'pt-BR': {
    title: 'O que aconteceu',
    earlier: 'O que aconteceu antes',
    latest: 'O que aconteceu por último',
    activities: {
      transferred: 'transferida',
      assigned: 'atribuída',
      returned: 'devolvida',
      unanswered: 'ficou sem resposta',
      handed_over: 'passada adiante',
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

/** What an automation wrote for whoever takes the conversation over; "" once it was closed. */
export const handoverNote = ({ query }: Page, { data }: Past): string =>
  query.has(EARLIER)
    ? ''
    : (data.find(({ type }) => type === 'handed_over' || type === 'closed')?.note ?? '');

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
