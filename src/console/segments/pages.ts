import { nameOfContact } from '../../contacts/names.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, code, definitions, linkButton, notice, table } from '../../pages/parts.ts';
import { listSegmentContacts, listSegments, readSegment } from '../../segments/reading.ts';
import type { Rules } from '../../segments/rules.ts';
import { isTooHeavy } from '../../segments/time-limit.ts';
import { seesInPart } from '../../segments/visibility.ts';
import { call } from '../calling.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { askFirst } from '../parts/form.ts';
import { following, listed, pageAfter } from '../parts/listing.ts';
import { rulesText } from './rules-text.ts';
import { SEGMENTS } from './texts.ts';
import { usersOf } from './users.ts';
import { editSegmentPage, newSegmentPage } from './writing.ts';

const segmentsPage: ConsolePage = {
  path: '/segments',
  permission: 'contacts.read',
  nav: { group: 'work', name: (lang) => SEGMENTS[lang].nav },
  view: async (page) => {
    const texts = SEGMENTS[page.lang];
    const { data, next } = await listSegments(page.ctx, pageAfter(page, 'seg'));
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'contacts.write', texts.create))}
<p class="soft">${texts.lead}</p>
${listed(
  page,
  texts,
  data.map((one) => [
    html`<a href="${page.base}/segments/${one.id}">${one.name}</a>`,
    one.count === null ? null : page.format.number(one.count),
    one.counted_at && page.format.time(one.counted_at),
    usersOf(page, one),
  ]),
  next,
)}`,
    };
  },
};

const segmentPage: ConsolePage = {
  path: '/segments/:id',
  id: 'seg',
  permission: 'contacts.read',
  view: async (page) => {
    const texts = SEGMENTS[page.lang];
    const one = await readSegment(page.ctx, idOf(page));
    const own = page.may('contacts.write');
    const edit = linkButton(`${page.path}/edit`, texts.edit, true);
    const users = usersOf(page, one);
    return {
      title: one.name,
      content: html`${crumbs(page, ['/segments', texts.nav])}
${bar(one.name, own ? edit : null)}
${definitions([
  [texts.count, one.count === null ? '–' : page.format.number(one.count)],
  [texts.counted, one.counted_at ? page.format.time(one.counted_at) : '–'],
  [texts.usedBy, users ?? texts.unused],
])}
${users && own ? notice(texts.usedLead, 'plain') : null}
${seesInPart(page.ctx.actor, one.rules as Rules) ? notice(texts.inPart, 'plain') : null}
<h2>${texts.rules}</h2>${code(rulesText(one.rules), texts.rules)}
<h2>${texts.contacts}</h2>${await contactsOf(page)}
${own ? removal(page) : null}`,
    };
  },
  actions: {
    delete: {
      permission: 'contacts.write',
      once: true,
      run: async (page): Promise<Done> => {
        await call(page, 'delete_segment', { id: idOf(page) });
        return { to: '/segments', flash: { text: SEGMENTS[page.lang].removed } };
      },
    },
  },
};

/** If the rules have become too expensive to evaluate, the page says so instead of failing. */
async function contactsOf(page: Page): Promise<Html> {
  const texts = SEGMENTS[page.lang];
  try {
    const { data, next } = await listSegmentContacts(page.ctx, idOf(page), pageAfter(page, 'con'));
    const rows = data.map((one) => [
      html`<a href="${page.base}/contacts/${one.id}">${nameOfContact(one)}</a>${one.opted_out ? html` ${badge(texts.optedOut, 'warn')}` : null}`,
      one.phone,
      one.email,
    ]);
    const about = { caption: texts.contacts, columns: texts.contactColumns, none: texts.nobody };
    return html`${table({ ...about, rows })}${following(page, next)}`;
  } catch (error) {
    if (isTooHeavy(error)) return notice(texts.tooHeavy, 'warn');
    throw error;
  }
}

function removal(page: Page): Html {
  const { remove: label, removeLead: lead } = SEGMENTS[page.lang];
  return askFirst(page, 'delete', { label, lead, danger: true });
}

export const segmentPages: readonly ConsolePage[] = [
  segmentsPage,
  newSegmentPage,
  editSegmentPage,
  segmentPage,
];
