import { isPersonal } from '../../access/actor.ts';
import { visibleThroughAny } from '../../access/visibility.ts';
import { reachable } from '../../contacts/reaching.ts';
import type { Context, ReadContext } from '../../context.ts';
import { binding, first } from '../../db/sql.ts';
import { AppError, invalidState, validation } from '../../errors.ts';
import type { FieldRule } from '../../http/error-guide/field-rules.ts';
import { requireTemplate } from '../../templates/service.ts';
import type { ConversationRow } from '../present.ts';
import { insideWindow, type MessageTemplate } from '../rules.ts';
import type { NewMessage } from './schema.ts';

interface Reach {
  readonly optedOut: boolean;
  readonly blocked: boolean;
  readonly reachable: boolean;
  readonly leftAt: Date | null;
}

/**
 * Checks that this message may go into the conversation now: 422 `opted_out`, `out_of_window` or `validation`, 409
 * `invalid_state` for a group that we left. A person in the console may write to contacts who opted out (design
 * decisions §21).
 */
export async function requireReachable(
  tx: Context,
  conversation: ConversationRow,
  { template, toPhone }: Pick<NewMessage, 'template'> & { readonly toPhone?: string | undefined },
): Promise<void> {
  const reach = await reachOf(tx, conversation.id);
  if (conversation.groupId !== null) {
    if (reach?.leftAt) throw invalidState('left', ['active']);
    return;
  }
  if (reach?.optedOut && !isPersonal(tx.actor))
    throw new AppError(
      'opted_out',
      'The contact wants no messages. Only the person can change that.',
      {
        contact_id: conversation.contactId,
      },
    );
  const path = toPhone === undefined ? 'contact_id' : 'phone';
  if (reach?.blocked) throw unreachable(path, 'blocked', 'The contact is blocked.');
  if (!reach?.reachable && toPhone === undefined)
    throw unreachable(path, 'no_phone', 'The contact has no phone on WhatsApp.');
  const { hasWindow, windowExpiresAt } = conversation;
  if (!hasWindow || template || insideWindow(windowExpiresAt, tx.now)) return;
  throw new AppError(
    'out_of_window',
    'The 24-hour window is closed: only an approved template may be sent now.',
    { window_expires_at: windowExpiresAt?.toISOString() ?? null },
  );
}

const unreachable = (path: string, rule: FieldRule, message: string): AppError =>
  validation([{ path, rule, message }]);

/** Whether a template could go out to the person of a conversation, as far as it is up to them. */
export async function takesTemplates(ctx: ReadContext, conversationId: string): Promise<boolean> {
  const reach = await reachOf(ctx, conversationId);
  return reach !== null && !reach.blocked && reach.reachable;
}

const reachOf = (
  { sql, organizationId, now }: ReadContext,
  conversationId: string,
): Promise<Reach | null> =>
  first(
    sql,
    `select coalesce(c.opted_out, false) as "optedOut", coalesce(c.blocked, false) as blocked,
       ${reachable('$3')} as reachable, g.left_at as "leftAt"
     from conversations v
     left join contacts c on c.organization_id = $1 and c.id = v.contact_id
     left join groups g on g.organization_id = $1 and g.id = v.group_id
     where v.organization_id = $1 and v.id = $2`,
    [organizationId, conversationId, now],
  );

/** Kinds of files to which WhatsApp attaches no caption. */
const WITHOUT_CAPTION = ['audio', 'sticker'];

/** The parts that are checked before the message is queued. */
interface Content extends Pick<NewMessage, 'media_id' | 'text'> {
  readonly template?: MessageTemplate | undefined;
}

/** The file must exist and the template be approved: 422 `unknown_media` or `validation`. */
export async function requireContent(
  tx: Context,
  { numberId }: Pick<ConversationRow, 'numberId'>,
  { media_id: mediaId, text, template }: Content,
): Promise<void> {
  if (template) await requireTemplate(tx, numberId, template);
  if (mediaId === undefined) return;
  const file = await keptFile(tx, mediaId);
  if (!file) throw new AppError('unknown_media', 'There is no such file.', { media_id: mediaId });
  if (text === undefined || !WITHOUT_CAPTION.includes(file.kind)) return;
  const message = `A file of the kind ${file.kind} has no caption.`;
  throw validation([{ path: 'text', rule: 'not_applicable', message }]);
}

/**
 * A file from a conversation that the actor cannot see counts as missing, so that it cannot be sent on. It stays until the
 * transaction ends.
 */
function keptFile(
  { sql, organizationId, actor }: Context,
  mediaId: string,
): Promise<{ kind: string } | null> {
  const { params, bind } = binding(organizationId, mediaId);
  const seen = visibleThroughAny(actor, 'f', bind);
  return first(
    sql,
    `select f.kind from media f where f.organization_id = $1 and f.id = $2 and f.state = 'kept'
       and ${seen} for key share of f`,
    params,
  );
}

/** Only a message in the same conversation can be named, as the one that is replied to. Throws 422 `validation`. */
export async function requireMessage(
  { sql, organizationId }: Context,
  conversationId: string,
  path: 'reply_to_id' | 'through',
  messageId: string,
): Promise<void> {
  const known = await first(
    sql,
    'select 1 from messages where organization_id = $1 and id = $2 and conversation_id = $3',
    [organizationId, messageId, conversationId],
  );
  if (known) return;
  const message = 'The conversation has no such message.';
  throw validation([{ path, rule: 'unknown_message', message }]);
}
