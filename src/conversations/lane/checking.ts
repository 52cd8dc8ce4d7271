import { WITHDRAWN } from '../../automated/withdrawing.ts';
import type { Sql } from '../../db/sql.ts';
import type { MediaKind } from '../../gateway/port.ts';
import {
  insideWindow,
  type MessageSource,
  type MessageStatus,
  type MessageTemplate,
} from '../rules.ts';
import { errorOf, lostOutcome, type Outcome } from './outcomes.ts';

/** A taken message, with everything its last checks and its sending need. */
export interface LoadedMessage {
  readonly id: string;
  readonly text: string;
  readonly status: MessageStatus;
  readonly source: MessageSource;
  /** An app wrote it for a person. */
  readonly byApp: boolean;
  readonly template: MessageTemplate | null;
  /** What WhatsApp knows of the template; null without one, or before it was read. */
  readonly templateParts: readonly unknown[] | null;
  readonly createdAt: Date;
  readonly attempts: number;
  /** While it was being sent before. */
  readonly withdrawn: boolean;
  /** WhatsApp's id of the message it replies to. */
  readonly replyTo: string | null;
  readonly isGroup: boolean;
  /** WhatsApp's id of the group; null for no group, or one we have left. */
  readonly groupId: string | null;
  readonly contactId: string | null;
  /**
   * Where the contact gets it: at the phone that it is meant for, otherwise at the identity that wrote, within its 24
   * hours, otherwise at the contact's own phone. Null for a group, and for somebody without any.
   */
  readonly to: string | null;
  /** Whether that is WhatsApp's id of a person who hides the phone. */
  readonly toUserId: boolean;
  readonly blocked: boolean;
  readonly optedOut: boolean;
  /** Sent even to contacts who opted out. */
  readonly despiteOptOut: boolean;
  readonly windowExpiresAt: Date | null;
  readonly mediaId: string | null;
  readonly mediaKind: MediaKind | null;
  readonly mediaName: string;
  /** WhatsApp's id of the uploaded file, until it expires. */
  readonly uploadedAs: string | null;
}

const MESSAGES = `
select m.id, m.text, m.status, m.source, m.template, m.created_at as "createdAt", o.attempts,
  ${WITHDRAWN} as withdrawn, r.provider_id as "replyTo", v.group_id is not null as "isGroup", g.provider_id as "groupId",
  m.contact_id as "contactId", coalesce(a.value, c.phone) as "to",
  coalesce(a.type = 'wa_user', false) as "toUserId", coalesce(c.blocked, false) as blocked,
  coalesce(c.opted_out, false) as "optedOut", o.despite_opt_out as "despiteOptOut", o.by_app as "byApp",
  v.window_expires_at as "windowExpiresAt",
  (select t.components from templates t where t.organization_id = $1 and t.number_id = o.number_id
    and t.name = m.template->>'name' and t.language = m.template->>'language') as "templateParts",
  m.media_id as "mediaId", f.kind as "mediaKind", m.media_name as "mediaName", u.provider_id as "uploadedAs"
from outgoing_messages o
join messages m on m.organization_id = $1 and m.id = o.message_id
join conversations v on v.organization_id = $1 and v.id = m.conversation_id
left join messages r on r.organization_id = $1 and r.id = m.reply_to_id
left join groups g on g.organization_id = $1 and g.id = v.group_id and g.left_at is null
left join contacts c on c.organization_id = $1 and c.id = m.contact_id
left join lateral (select case when v.window_expires_at > $4 then v.wrote_from end as identity) wrote on true
-- A phone comes before WhatsApp's id, and of these the newest.
left join lateral (select i.type, i.value from contact_identities i
  where i.organization_id = $1 and i.contact_id = m.contact_id
    and (i.type = 'wa_user' or i.type = 'phone' and i.value in (o.to_phone, wrote.identity, c.phone))
  order by i.value = o.to_phone desc, i.value = wrote.identity desc, i.type, i.created_at desc limit 1) a on true
left join media f on f.organization_id = $1 and f.id = m.media_id
left join media_uploads u on u.organization_id = $1 and u.media_id = m.media_id
  and u.number_id = o.number_id and u.valid_until > $4
where o.organization_id = $1 and o.message_id = any($2) and o.claim_token = $3 and m.status <> 'sending'
order by o.priority, o.message_id`;

/** Messages of one workspace that a process has taken from the queue, under its token. */
interface TakenMessages {
  readonly organizationId: string;
  readonly ids: readonly string[];
  readonly token: string;
}

/**
 * Those of the taken messages that this process still holds, in the order they go out. After a process hung, another may
 * have taken the same message; one already on its way belongs to whoever is sending it, who will settle it.
 */
export const loadMessages = (
  sql: Sql,
  { organizationId, ids, token }: TakenMessages,
  now: Date,
): Promise<LoadedMessage[]> =>
  sql.rows(MESSAGES, [organizationId, ids, token, now], 'outgoing-messages');

/** A contact who opted out still gets what people write themselves, and the one confirmation. */
const despiteOptOut = ({ despiteOptOut: wanted, source, byApp }: LoadedMessage): boolean =>
  wanted || source === 'system' || (source === 'member' && !byApp);

/** What becomes of a message that nobody wants sent any more, whether or not its number sends; null if it is wanted. */
export function endOf({ status, withdrawn }: LoadedMessage): Outcome | null {
  if (status !== 'queued') return { status: 'dropped' };
  return withdrawn ? { status: 'cancelled' } : null;
}

/** The `code` of a message's error by which the last look kept it back. */
export const HELD_BACK = [
  'opted_out',
  'blocked',
  'no_phone',
  'left_group',
  'out_of_window',
] as const;

/**
 * The last check before a message leaves, because much may have changed since it was queued.
 *
 * @param hasWindow whether the number has the 24-hour window
 * @returns the reason why it must not be sent, or null
 */
export function obstacleTo(message: LoadedMessage, hasWindow: boolean, now: Date): Outcome | null {
  if (message.isGroup)
    return message.groupId === null
      ? heldBack('left_group', 'We are not in the group any more.')
      : null;
  if (message.to === null) return heldBack('no_phone', 'The contact is gone, or has no phone.');
  if (message.blocked) return heldBack('blocked', 'The contact is blocked.');
  if (message.optedOut && !despiteOptOut(message))
    return heldBack('opted_out', 'The contact opted out before the message left.');
  if (hasWindow && message.template === null && !insideWindow(message.windowExpiresAt, now))
    return lostOutcome('out_of_window', 'The 24-hour window closed before the message left.');
  return null;
}

/** @param code why nobody is there to send to, as an exclusion of campaigns (design decisions §7). */
const heldBack = (code: (typeof HELD_BACK)[number], message: string): Outcome => ({
  status: 'failed',
  error: { ...errorOf('no_recipient', message), code },
});
