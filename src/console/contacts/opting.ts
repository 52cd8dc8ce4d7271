import { optedOutAt, optInByMember, optOutByMember } from '../../contacts/opt-outs/opting-out.ts';
import type { Context } from '../../context.ts';
import { areaField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { type Action, field, idOf, type OnceAction, type Page, wasRefused } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst, asSent } from '../parts/form.ts';
import type { Contact } from './list.ts';
import { CONTACTS } from './texts.ts';

/** Notes that the person wants no messages, told otherwise than by a phrase that we know. */
export const optOut: Action = {
  permission: 'contacts.write',
  run: async (page) => {
    const id = idOf(page);
    await optOutByMember(page.ctx, id);
    return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].optedOutNow } };
  },
};

/** What a member may write down of the person's wish. */
export const opting = async (page: Page, { opted_out: out }: Contact): Promise<Html> =>
  out ? await optingIn(page) : optingOut(page);

function optingOut(page: Page): Html {
  const { optOut: label, optOutLead: lead } = CONTACTS[page.lang];
  return askFirst(page, 'opt_out', { label, lead });
}

/** Takes an opt-out back, which besides the person only a member may, in writing (design decisions §21). */
export const optIn: OnceAction = {
  permission: 'contacts.write',
  once: true,
  run: async (page) => {
    const id = idOf(page);
    const stored = (tx: Context) => optedOutAt(tx, id, { lock: true });
    await asSeen(page, { stored, for: 'decided' }, ({ ctx }) =>
      optInByMember(ctx, id, field(page, 'reason')),
    );
    return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].optedIn } };
  },
};

/** For what the page showed: a STOP that came since is not taken back with it. */
async function optingIn(page: Page): Promise<Html> {
  const texts = CONTACTS[page.lang];
  const seen = seenField(page, await optedOutAt(page.ctx, idOf(page)));
  const reason = areaField({
    ...asSent(page, 'reason'),
    label: texts.reason,
    hint: texts.reasonHint,
    rows: 2,
    required: true,
  });
  return askFirst(page, 'opt_in', {
    label: texts.optIn,
    lead: texts.optInLead,
    fields: html`${seen}${reason}`,
    open: wasRefused(page, 'opt_in'),
  });
}
