import type { Sql } from '../../db/sql.ts';
import type { MediaKind } from '../../gateway/port.ts';
import type { MessageTemplate } from '../entities.ts';
import { insideWindow, type MessageSource, type MessageStatus } from '../rules.ts';
import { lost, type Outcome } from './outcomes.ts';

/** A taken message with all that its last checks and its send need. */
export interface Letter {
  readonly id: string;
  readonly text: string;
  readonly type: string;
  readonly status: MessageStatus;
  readonly source: MessageSource;
  readonly template: MessageTemplate | null;
  readonly createdAt: Date;
  readonly attempts: number;
  /** WhatsApp's id of the message that this one answers. */
  readonly replyTo: string | null;
  readonly isGroup: boolean;
  /** WhatsApp's id of the group; null where there is none, or we are not in it any more. */
  readonly groupId: string | null;
  readonly contactId: string | null;
  readonly phone: string | null;
  readonly waUserId: string | null;
  readonly blocked: boolean;
  readonly optedOut: boolean;
  /** It goes to people who opted out too. */
  readonly despiteOptOut: boolean;
  readonly windowExpiresAt: Date | null;
  readonly mediaId: string | null;
  readonly mediaKind: MediaKind | null;
  readonly mediaName: string;
  /** WhatsApp's id of the file, while it keeps it. */
  readonly uploadedAs: string | null;
}

const LETTERS = `
select m.id, m.text, m.type, m.status, m.source, m.template, m.created_at as "createdAt", o.attempts,
  r.provider_id as "replyTo", v.group_id is not null as "isGroup", g.provider_id as "groupId",
  m.contact_id as "contactId", c.phone, w.value as "waUserId", coalesce(c.blocked, false) as blocked,
  coalesce(c.opted_out, false) as "optedOut", o.despite_opt_out as "despiteOptOut", v.window_expires_at as "windowExpiresAt",
  m.media_id as "mediaId", f.kind as "mediaKind", m.media_name as "mediaName", u.provider_id as "uploadedAs"
from outgoing_messages o
join messages m on m.organization_id = $1 and m.id = o.message_id
join conversations v on v.organization_id = $1 and v.id = m.conversation_id
left join messages r on r.organization_id = $1 and r.id = m.reply_to_id
left join groups g on g.organization_id = $1 and g.id = v.group_id and g.left_at is null
left join contacts c on c.organization_id = $1 and c.id = m.contact_id
left join lateral (select i.value from contact_identities i
  where i.organization_id = $1 and i.contact_id = m.contact_id and i.type = 'wa_user'
  order by i.created_at desc limit 1) w on true
left join media f on f.organization_id = $1 and f.id = m.media_id
left join media_uploads u on u.organization_id = $1 and u.media_id = m.media_id
  and u.number_id = o.number_id and u.valid_until > $4
where o.organization_id = $1 and o.message_id = any($2) and o.claim_token = $3 and m.status <> 'sending'
order by o.priority, o.message_id`;

/**
 * What is still ours of the taken messages, in the order they go out. A process that hung may have taken
 * a message a second time: one that is on its way is the first taker's alone, who settles it.
 */
export const lettersOf = (
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
  token: string,
  now: Date,
): Promise<Letter[]> =>
  sql.rows(LETTERS, [organizationId, messageIds, token, now], 'outgoing-letters');

/** A contact who opted out still hears from people, and once from us. */
const HEARD_AFTER_OPT_OUT: readonly MessageSource[] = ['member', 'system'];

/**
 * The last look before a message leaves: much may have happened since it was written.
 *
 * @param hasWindow whether the number is held to the 24-hour window.
 * @returns what it is lost to, or null when it may go.
 */
export function obstacleTo(letter: Letter, hasWindow: boolean, now: Date): Outcome | null {
  if (letter.status !== 'queued') return { status: 'dropped' };
  if (letter.isGroup)
    return letter.groupId === null
      ? lost('no_recipient', 'We are not in the group any more.')
      : null;
  if (letter.phone === null && letter.waUserId === null)
    return lost('no_recipient', 'The contact is gone, or has no phone.');
  if (letter.blocked) return lost('no_recipient', 'The contact is blocked.');
  if (letter.optedOut && !letter.despiteOptOut && !HEARD_AFTER_OPT_OUT.includes(letter.source))
    return lost('no_recipient', 'The contact opted out before the message left.');
  if (hasWindow && letter.template === null && !insideWindow(letter.windowExpiresAt, now))
    return lost('out_of_window', 'The 24-hour window closed before the message left.');
  return null;
}
