import { optInByMember } from '../../contacts/opt-outs/opting-out.ts';
import { areaField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure } from '../../pages/parts.ts';
import { field, idOf, type OnceAction, type Page, wasRefused } from '../page.ts';
import { form } from '../parts/form.ts';
import { CONTACTS } from './texts.ts';

/** Takes an opt-out back, which besides the person only a member may, in writing (design decisions §21). */
export const optIn: OnceAction = {
  permission: 'contacts.write',
  once: true,
  run: async (page) => {
    await optInByMember(page.ctx, idOf(page), field(page, 'reason'));
    return { to: `/contacts/${idOf(page)}`, flash: { text: CONTACTS[page.lang].optedIn } };
  },
};

export function optingIn(page: Page): Html {
  const texts = CONTACTS[page.lang];
  const reason = areaField({
    name: 'reason',
    label: texts.reason,
    hint: texts.reasonHint,
    value: field(page, 'reason'),
    error: page.problems.get('reason'),
    rows: 2,
    required: true,
  });
  return disclosure(
    texts.optIn,
    html`<p>${texts.optInLead}</p>${form(page, 'opt_in', html`${reason}<button>${texts.optIn}</button>`)}`,
    { open: wasRefused(page, 'opt_in') },
  );
}
