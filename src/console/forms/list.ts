import { FORM_STATUSES, type FormStatus } from '../../forms/rules.ts';
import { listForms } from '../../forms/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Tone } from '../../pages/parts.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { allOrOne, chips, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { FORMS } from './texts.ts';

const TONES: Readonly<Record<FormStatus, Tone>> = {
  draft: 'plain',
  published: 'good',
  unpublished: 'warn',
};

export const statusBadge = ({ lang }: Page, status: FormStatus): Html =>
  badge(FORMS[lang].statuses[status], TONES[status]);

/** The forms of the workspace, newest first. */
export const formsPage: ConsolePage = {
  path: '/forms',
  permission: 'forms.read',
  nav: { group: 'work', name: (lang) => FORMS[lang].nav },
  view: async (page) => {
    const texts = FORMS[page.lang];
    const status = oneOf(page, 'status', FORM_STATUSES);
    const after = pageAfter(page, 'frm');
    const { data, next } = await listForms(page.ctx, { status }, after, page.parts.baseUrl);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'forms.write', texts.create))}
${chips(page, 'status', allOrOne(texts.all, FORM_STATUSES, texts.statuses), texts.status)}
${listed(
  page,
  texts,
  data.map((one) => [
    html`<a href="${page.base}/forms/${one.id}">${one.title}</a>`,
    statusBadge(page, one.status),
    page.format.number(one.version),
    page.format.time(one.updated_at),
  ]),
  next,
)}`,
    };
  },
};
