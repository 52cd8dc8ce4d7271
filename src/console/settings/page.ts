import { changeWorkspace } from '../../campaigns/limits/guards.ts';
import type { Context } from '../../context.ts';
import { textField } from '../../pages/fields.ts';
import { html } from '../../pages/html.ts';
import { linkButton } from '../../pages/parts.ts';
import { readSettings } from '../../workspaces/settings.ts';
import { wholeNumberOrNone } from '../members/whole-number.ts';
import { type Action, type ConsolePage, field, type Page, wasRefused } from '../page.ts';
import { asShown, changedIn } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { guardsForm, saveGuards } from './campaigns.ts';
import { SETTINGS } from './texts.ts';

/** Those whose numbers, dates and phones we know how people write; any other may be typed. */
const LANGUAGES = ['pt-BR', 'pt-PT', 'en-US', 'en-GB', 'es-ES', 'es-MX', 'es-AR'];

const save: Action = {
  permission: 'members.manage',
  run: async (page: Page<Context>) => {
    const written = {
      name: field(page, 'name'),
      time_zone: field(page, 'time_zone').trim(),
      language: field(page, 'language').trim(),
      idle_close_hours: wholeNumberOrNone(page, 'idle_close_hours'),
    };
    await changeWorkspace(page.ctx, changedIn(page, written));
    return { to: '/settings', flash: { text: SETTINGS[page.lang].saved } };
  },
};

/** What holds for the whole workspace. */
export const settingsPage: ConsolePage = {
  path: '/settings',
  permission: 'members.manage',
  nav: { group: 'workspace', name: (lang) => SETTINGS[lang].nav },
  actions: { save, guard: saveGuards },
  view: async (page) => {
    const texts = SETTINGS[page.lang];
    const { idle_close_hours: hours, ...named } = await readSettings(page.ctx);
    const kept = { ...named, idle_close_hours: hours === null ? '' : String(hours) };
    const refused = wasRefused(page, 'save');
    const about = (name: keyof typeof kept) => ({
      name,
      value: refused ? field(page, name) : kept[name],
      error: page.problems.get(name),
    });
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1><p class="soft">${texts.lead}</p>
${form(
  page,
  'save',
  html`${asShown(page, kept)}${textField({
    ...about('name'),
    label: texts.name,
    hint: texts.nameHint,
    maxLength: 80,
    required: true,
  })}${textField({
    ...about('time_zone'),
    label: texts.timeZone,
    hint: texts.timeZoneHint,
    suggestions: Intl.supportedValuesOf('timeZone'),
    maxLength: 60,
    required: true,
  })}${textField({
    ...about('language'),
    label: texts.language,
    hint: texts.languageHint,
    suggestions: LANGUAGES,
    maxLength: 35,
    required: true,
  })}${textField({
    ...about('idle_close_hours'),
    type: 'number',
    label: texts.idle,
    hint: texts.idleHint,
  })}<button>${texts.save}</button>`,
)}
${await guardsForm(page)}
<h2>${texts.phrases}</h2><p>${texts.phrasesLead}</p><p>${linkButton(`${page.path}/opt-out-phrases`, texts.seePhrases, true)}</p>`,
    };
  },
};
