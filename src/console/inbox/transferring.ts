import type { Context } from '../../context.ts';
import { lockForTransfer } from '../../conversations/assignment/transferring.ts';
import { getConversation } from '../../conversations/service.ts';
import { type Option, selectField } from '../../pages/fields.ts';
import type { Html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { type Action, field, idOf, type Page, wasRefused } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst, asSent } from '../parts/form.ts';
import type { Team } from './participants.ts';
import { INBOX } from './texts.ts';

type Conversation = Awaited<ReturnType<typeof getConversation>>;

const FORM = 'transfer';

const holderOf = ({ assigned_team_id, assigned_member_id }: Conversation) => ({
  assigned_team_id,
  assigned_member_id,
});

/** Takes it from nobody who was not shown to have it. */
export const transfer: Action = {
  permission: 'conversations.assign',
  once: true,
  run: async (page) => {
    const id = idOf(page);
    const [team_id = '', member_id] = field(page, 'to').split('/');
    const body = { team_id, ...(member_id ? { member_id } : {}) };
    const stored = async (ctx: Context) => {
      await lockForTransfer(ctx, id, body);
      return holderOf(await getConversation(ctx, id));
    };
    await asSeen(page, { stored, for: 'decided' }, (seen) =>
      call(seen, 'transfer_conversation', { id, body }),
    );
    return { to: '/inbox', flash: { text: INBOX[page.lang].transferred } };
  },
  problemsAt: { team_id: 'to', member_id: 'to', unknown_team: 'to', member_not_in_team: 'to' },
};

/** The form's mark, for the part of the page that shows who has the conversation: it is renewed with that. */
export const shownHolder = (page: Page, one: Conversation): Html =>
  seenField(page, holderOf(one), FORM);

export function transferring(page: Page, one: Conversation, teams: readonly Team[]): Html | null {
  const texts = INBOX[page.lang];
  const here = [one.assigned_team_id, one.assigned_member_id].filter(Boolean).join('/');
  const options = teams
    .flatMap((team): Option[] => [
      { value: team.id, label: team.name },
      ...team.members.map((member) => ({
        value: `${team.id}/${member.id}`,
        label: texts.member(team.name, member.name),
      })),
    ])
    .filter(({ value }) => value !== here);
  if (!page.may('conversations.assign') || options.length === 0) return null;
  const fields = selectField({ ...asSent(page, 'to'), label: texts.to, options });
  const open = wasRefused(page, 'transfer');
  return askFirst(page, 'transfer', { label: texts.transfer, fields, open, id: FORM });
}
