import { SCOPE_NAMES, type Scope } from '../../access/scopes.ts';
import { checkboxes, fieldsPlace } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';
import { AREA_OF, AREAS, KEYS } from './texts.ts';

/** Sending to many people at once stands out wherever it is granted. */
const HIGH_RISK: Scope = 'campaigns:send';

/** Every scope with a sentence, grouped by subject; the field is called `scopes`. */
export function scopeChoice(page: Page, title: string, chosen: readonly string[]): Html {
  const wrong = page.problems.get('scopes');
  return html`<div class="scopes"${fieldsPlace('scopes', title)}><h2>${title}</h2><p class="hint">${KEYS[page.lang].scopesHint}</p>${
    wrong ? html`<p class="problem">${wrong}</p>` : null
  }${AREAS.map((area) => ofArea(page, area, chosen))}</div>`;
}

function ofArea({ lang }: Page, area: (typeof AREAS)[number], chosen: readonly string[]): Html {
  const texts = KEYS[lang];
  const own = SCOPE_NAMES.filter((scope) => AREA_OF[scope] === area);
  return checkboxes({
    name: 'scopes',
    within: area,
    label: texts.areas[area],
    chosen,
    choices: own.map((scope) => ({
      value: scope,
      label: texts.says[scope],
      hint: html`<code>${scope}</code>`,
      danger: scope === HIGH_RISK,
    })),
  });
}
