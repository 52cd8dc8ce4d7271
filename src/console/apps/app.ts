import type { Context } from '../../context.ts';
import { deleteApp } from '../../oauth/apps/deleting.ts';
import { requestReview } from '../../oauth/apps/reviews.ts';
import {
  type AppRecord,
  changeApp,
  getApp,
  lockApp,
  rotateAppSecret,
} from '../../oauth/apps/service.ts';
import { areaField, checkbox } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, code, definitions, disclosure, linkButton, notice } from '../../pages/parts.ts';
import { signInPath } from '../../people/session-cookie.ts';
import { signedInRecently } from '../../people/sessions.ts';
import { madeThrough } from '../../webhooks/pausing.ts';
import { bar, crumbs } from '../frame/heading.ts';
import {
  type Action,
  type ConsolePage,
  type Done,
  field,
  idOf,
  type OnceAction,
  type Page,
  wasRefused,
} from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst, asSent, form } from '../parts/form.ts';
import { pausing } from './connections.ts';
import { appFields, appInput, VERIFICATION_TONES } from './list.ts';
import { APPS } from './texts.ts';

const action = (
  run: (page: Page<Context>) => Promise<Done>,
  once: OnceAction['once'] = true,
): Action => ({ permission: 'developers.manage', once, run });

const back = (page: Page, flash: Done['flash']): Done => ({
  to: `/apps/${idOf(page)}`,
  ...(flash ? { flash } : {}),
});

const valuesOf = ({ name, redirect_uris, scopes }: AppRecord) => ({ name, redirect_uris, scopes });

const lockedValues = (id: string) => async (ctx: Context) => {
  await lockApp(ctx, id);
  return valuesOf(await getApp(ctx, id));
};

const actions: Readonly<Record<string, Action>> = {
  save: {
    permission: 'developers.manage',
    run: async (page) => {
      const id = idOf(page);
      await asSeen(page, { stored: lockedValues(id), for: 'written' }, (seen) =>
        changeApp(seen.ctx, id, appInput(seen)),
      );
      return back(page, { text: APPS[page.lang].saved });
    },
  },
  // A second rotation would end the secret that is in use.
  rotate: action(async (page) => {
    const { signedInAt } = page.session;
    const revokePrevious = field(page, 'stop') === 'on';
    const wish = { signedInAt, revokePrevious };
    const { secret } = await rotateAppSecret(page.ctx, idOf(page), wish);
    return back(page, { text: APPS[page.lang].rotated, once: { secret } });
  }),
  review: action(async (page) => {
    await requestReview(page.ctx, idOf(page), field(page, 'data_use'));
    return back(page, { text: APPS[page.lang].reviewAsked });
  }),
  delete: action(async (page) => {
    await deleteApp(page.parts.database, page.ctx, idOf(page));
    return { to: '/apps', flash: { text: APPS[page.lang].removed } };
  }, 'apart'),
};

export const appPage: ConsolePage = {
  path: '/apps/:id',
  id: 'app',
  permission: 'developers.read',
  actions,
  view: async (page) => {
    const texts = APPS[page.lang];
    const app = await getApp(page.ctx, idOf(page));
    const { previous_secret_valid_until: previous, last_used_at: used } = app;
    return {
      title: app.name,
      content: html`${crumbs(page, ['/apps', texts.nav])}
${bar(app.name, badge(texts.states[app.verification], VERIFICATION_TONES[app.verification]))}
${app.review_note ? notice(texts.refused(app.review_note), 'warn') : null}${shownOnce(page)}
${definitions([
  [texts.clientId, html`<code>${app.id}</code>`],
  [
    texts.secret,
    html`<code>${app.secret_prefix}…</code>${previous ? html`<br><span class="soft">${texts.previous(page.format.time(previous))}</span>` : null}`,
  ],
  [texts.lastUsed, used ? page.format.time(used) : texts.never],
])}
${page.may('developers.manage') ? managing(page, app, await madeThrough(page.ctx, app.id)) : null}`,
    };
  },
};

function shownOnce({ flash, lang }: Page): Html | null {
  const secret = flash?.once?.['secret'];
  if (!secret) return null;
  const texts = APPS[lang];
  return html`<section class="card"><p><strong>${texts.secretOnce}</strong></p>${code(secret, texts.secretLabel)}</section>`;
}

function managing(page: Page, app: AppRecord, endpoints: readonly string[]): Html {
  const texts = APPS[page.lang];
  const { name, redirect_uris: redirectUris, scopes } = app;
  return html`<div class="actions">${disclosure(texts.rotate, rotating(page, app.previous_secret_valid_until))}${
    app.verification === 'unverified' || app.verification === 'rejected' ? reviewing(page) : null
  }${askFirst(page, 'delete', { label: texts.remove, lead: [texts.removeLead, ...pausing(page, endpoints)], danger: true })}</div>
<section class="card">${app.verification === 'verified' ? html`<p class="soft">${texts.keepsReview}</p>` : null}${form(page, 'save', html`${seenField(page, valuesOf(app))}${appFields(page, { name, redirectUris, scopes })}<button>${texts.save}</button>`)}</section>`;
}

/** The service enforces the same ten minutes. */
function rotating(page: Page, previous: string | null): Html {
  const texts = APPS[page.lang];
  if (!signedInRecently(page.session, page.ctx.now))
    return html`<p>${texts.signInFirst}</p>${linkButton(`${signInPath(page.path)}&again=1`, texts.signInFirst)}`;
  const stop = checkbox({ name: 'stop', value: 'on', label: texts.stopPrevious, checked: false });
  const lead = previous
    ? `${texts.rotateLead} ${texts.endsPrevious(page.format.time(previous))}`
    : texts.rotateLead;
  return html`<p>${lead}</p>${form(page, 'rotate', html`${stop}<button>${texts.rotate}</button>`)}`;
}

function reviewing(page: Page): Html {
  const { review: label, reviewLead: lead, dataUse } = APPS[page.lang];
  const fields = areaField({ ...asSent(page, 'data_use'), label: dataUse, required: true });
  return askFirst(page, 'review', { label, lead, fields, open: wasRefused(page, 'review') });
}
