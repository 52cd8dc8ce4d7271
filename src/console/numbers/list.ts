import { restrictedMember } from '../../access/visibility.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { canSend } from '../../numbers/rules.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { ConsolePage, Page } from '../page.ts';
import { listed, pageAfter } from '../parts/listing.ts';
import { NUMBERS } from './texts.ts';

export type WhatsAppNumber = Awaited<ReturnType<typeof listNumbers>>['data'][number];

/** The workspace's numbers and their state. Connecting them is up to the operator. */
export const numbersPage: ConsolePage = {
  path: '/numbers',
  permission: 'numbers.read',
  nav: { group: 'workspace', name: (lang) => NUMBERS[lang].nav },
  view: async (page) => {
    const texts = NUMBERS[page.lang];
    const { data, next } = await listNumbers(page.ctx, pageAfter(page, 'num'));
    const isNarrow = data.length === 0 && restrictedMember(page.ctx.actor) !== null;
    const said = isNarrow ? { ...texts, none: texts.noneSeen } : texts;
    const rows = data.map((one) => [
      html`<a href="${page.base}/numbers/${one.id}">${one.name}</a>`,
      one.phone,
      statusBadge(page, one),
      page.format.time(one.status_changed_at),
    ]);
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1>
${listed(page, said, rows, next)}${isNarrow || data.some(({ status }) => canSend(status)) ? null : html`<p class="soft">${texts.whoConnects}</p>`}`,
    };
  },
};

export const statusBadge = ({ lang }: Page, { status }: WhatsAppNumber): Html =>
  badge(
    NUMBERS[lang].statuses[status],
    status === 'connected' ? 'good' : canSend(status) ? 'warn' : 'bad',
  );
