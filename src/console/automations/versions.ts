import { getVersion, listVersions } from '../../automations/versions.ts';
import { notFound } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, code, definitions, table } from '../../pages/parts.ts';
import { ask, call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst } from '../parts/form.ts';
import { followingIn } from '../parts/listing.ts';
import { type Automation, definitionText, lockedMoment } from './definition.ts';
import { AUTOMATIONS } from './texts.ts';

const SHOWN = 20;
/** In the address: the versions before this one are shown. */
const BEFORE = 'version';

type Standing = Pick<Automation, 'status' | 'version'>;

const currentBadge = ({ lang }: Page, { status, version }: Standing, one: number): Html | null =>
  status === 'active' && version === one ? badge(AUTOMATIONS[lang].current, 'good') : null;

/** A link to a version. */
export const versionLink = ({ base, format }: Page, automation: string, version: number): Html =>
  html`<a href="${base}/automations/${automation}/versions/${version}">${format.number(version)}</a>`;

/** Which version was published when, the newest first; nothing before the first one. */
export async function versionsSection(page: Page, automation: Automation): Promise<Html | null> {
  const texts = AUTOMATIONS[page.lang];
  const before = versionIn(page.query.get(BEFORE) ?? '');
  const range = { before, limit: SHOWN + 1 };
  const versions = await listVersions(page.ctx, automation.id, range);
  if (versions.length === 0) return null;
  const shown = versions.slice(0, SHOWN);
  const last = versions.length > SHOWN ? String(shown.at(-1)?.version) : null;
  return html`<section><h2>${texts.versions}</h2>${table({
    caption: texts.versions,
    columns: texts.versionColumns,
    rows: shown.map(({ version, created_at: at }) => [
      versionLink(page, automation.id, version),
      page.format.time(at),
      currentBadge(page, automation, version),
    ]),
  })}${followingIn(page, BEFORE, last)}</section>`;
}

const versionIn = (text: string): number | null =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;

function numberOf({ params }: Pick<Page, 'params'>): number {
  const version = versionIn(params['version'] ?? '');
  if (version === null) throw notFound('version');
  return version;
}

/** The content of a version, with a way to continue from it. */
export const versionPage: ConsolePage = {
  path: '/automations/:id/versions/:version',
  id: 'atm',
  permission: 'automations.read',
  view: async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const one = await ask<Automation>(page, 'get_automation', { id: idOf(page) });
    const kept = await getVersion(page.ctx, one.id, numberOf(page));
    const title = texts.versionOf(page.format.number(kept.version));
    return {
      title: `${title}: ${one.name}`,
      content: html`${crumbs(page, ['/automations', texts.nav], [`/automations/${one.id}`, one.name])}
${bar(title, currentBadge(page, one, kept.version))}
${definitions([[texts.published, page.format.time(kept.created_at)]])}
${page.may('automations.activate') ? restoring(page, one) : null}
<h2>${texts.definition}</h2>${code(definitionText(kept.definition), texts.definition)}`,
    };
  },
  actions: {
    restore: {
      permission: 'automations.activate',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        await asSeen(page, { stored: lockedMoment(id), for: 'decided' }, async (seen) => {
          const { definition } = await getVersion(seen.ctx, id, numberOf(page));
          await call(seen, 'update_automation', { id, body: { ...definition } });
        });
        return { to: `/automations/${id}`, flash: { text: AUTOMATIONS[page.lang].restored } };
      },
    },
  },
};

function restoring(page: Page, { updated_at: changed }: Automation): Html {
  const { restore: label, restoreLead: lead } = AUTOMATIONS[page.lang];
  return askFirst(page, 'restore', { label, lead, fields: seenField(page, changed) });
}
