import { type GuardChange, guardsOf, setGuards } from '../../campaigns/limits/guards.ts';
import { textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { wholeNumber } from '../members/whole-number.ts';
import { type Action, field, type Page, wasRefused } from '../page.ts';
import { asShown, changedIn } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { SETTINGS } from './texts.ts';

const QUIET = ['quiet_from', 'quiet_to'] as const;
const CAP = ['cap_messages', 'cap_days'] as const;
type Name = (typeof QUIET | typeof CAP)[number];

export const saveGuards: Action = {
  permission: 'members.manage',
  problemsAt: { quiet_hours: 'quiet_from', frequency_cap: 'cap_messages' },
  run: async (page) => {
    await setGuards(page.ctx, changeOf(page));
    return { to: '/settings', flash: { text: SETTINGS[page.lang].guarded } };
  },
};

/** Each of the two is one limit: one that somebody wrote in is sent with both of its values. */
function changeOf(page: Page): GuardChange {
  const isChanged = (names: readonly Name[]): boolean =>
    Object.keys(changedIn(page, Object.fromEntries(names.map((name) => [name, null])))).length > 0;
  const isEmpty = (names: readonly Name[]): boolean =>
    names.every((name) => field(page, name).trim() === '');
  const quiet = () => ({ from: field(page, 'quiet_from'), to: field(page, 'quiet_to') });
  const cap = () => ({
    messages: wholeNumber(page, 'cap_messages'),
    days: wholeNumber(page, 'cap_days'),
  });
  return {
    ...(isChanged(QUIET) ? { quiet: isEmpty(QUIET) ? null : quiet() } : {}),
    ...(isChanged(CAP) ? { cap: isEmpty(CAP) ? null : cap() } : {}),
  };
}

/** What all campaigns of the workspace keep to, in a form of its own. */
export async function guardsForm(page: Page): Promise<Html> {
  const texts = SETTINGS[page.lang];
  const { quiet, cap } = await guardsOf(page.ctx.sql, page.ctx.organizationId);
  const kept: Readonly<Record<Name, string>> = {
    quiet_from: quiet?.from ?? '',
    quiet_to: quiet?.to ?? '',
    cap_messages: String(cap?.messages ?? ''),
    cap_days: String(cap?.days ?? ''),
  };
  const again = wasRefused(page, 'guard');
  const fieldFor = (name: Name, type: 'time' | 'number'): Html =>
    textField({
      name,
      type,
      ...texts.guards[name],
      value: again ? field(page, name) : kept[name],
      error: page.problems.get(name),
    });
  return html`<h2>${texts.campaigns}</h2><p class="soft">${texts.campaignsLead}</p>
${form(
  page,
  'guard',
  html`${asShown(page, kept, again)}${QUIET.map((name) => fieldFor(name, 'time'))}${CAP.map(
    (name) => fieldFor(name, 'number'),
  )}<button>${texts.saveGuards}</button>`,
)}`;
}
