import type { AiMessage } from '../../../ai/client.ts';
import type { InWorkspace } from '../../../context.ts';
import type { MessageTemplate } from '../../../conversations/rules.ts';
import { truncate } from '../../../conversations/sending/lengths.ts';
import { isBlank } from '../../../http/fields.ts';
import { bodyWith, SENT_AS } from '../../../templates/rules.ts';

/** How much of the end of a conversation a model is shown. */
const MOST_MESSAGES = 30;
const LONGEST_MESSAGE = 2_000;
/** In characters, in total. */
const LONGEST = 12_000;

interface Row {
  readonly id: string;
  readonly inbound: boolean;
  readonly type: string;
  readonly text: string;
  readonly replyTo: string | null;
  readonly template: MessageTemplate | null;
  /** Of its template, if the number still has it. */
  readonly components: readonly unknown[] | null;
}

const LATEST = `
select m.id, m.direction = 'inbound' as inbound, m.type, left(m.text, ${LONGEST_MESSAGE}) as text,
  m.reply_to_id as "replyTo", m.template, t.components
from messages m
left join templates t on ${SENT_AS}
where m.organization_id = $1 and m.conversation_id = $2 and m.status not in ('failed', 'cancelled')
order by m.id desc limit ${MOST_MESSAGES}`;

export interface Transcript {
  /** Oldest first; never two of the same side in a row. */
  readonly messages: readonly AiMessage[];
  /** The person's latest message, or reaction: a model is not shown those, but nothing is asked about them again. */
  readonly heard: string | null;
}

/** The conversation so far: the person's messages as the user's, ours as the assistant's. */
export async function transcriptOf(
  { sql, organizationId }: InWorkspace,
  conversationId: string,
): Promise<Transcript> {
  const latest = await sql.rows<Row>(LATEST, [organizationId, conversationId], 'transcript');
  const heard = latest.find(({ inbound }) => inbound)?.id ?? null;
  const shown = recent(withoutTakenBack(latest).filter(({ type }) => type !== 'reaction'));
  return { messages: together(shown.toReversed()), heard };
}

/** Without what its person took back, and its corrections. */
function withoutTakenBack(latest: readonly Row[]): Row[] {
  const takenBack = new Set(
    latest.flatMap(({ type, text, replyTo }) =>
      type === 'edit' && text === '' && replyTo !== null ? [replyTo] : [],
    ),
  );
  return latest.filter(
    ({ id, type, text, replyTo }) =>
      !takenBack.has(id) && (type !== 'edit' || (text !== '' && !takenBack.has(replyTo ?? ''))),
  );
}

/** From the latest one backwards, as many as fit. */
function recent(latest: readonly Row[]): Row[] {
  let room = LONGEST;
  return latest.filter((row) => {
    room -= wordsOf(row).length;
    return room >= 0;
  });
}

/** A file without words is represented by its kind, and so is what shows as nothing: a model must be told something. */
function wordsOf({ type, text, template, components }: Row): string {
  if ((template || type === 'text' || type === 'unsupported') && !isBlank(text)) return text;
  if (template) return truncate(wordsOfTemplate(template, components ?? []), LONGEST_MESSAGE);
  return `[${type}] ${text}`.trim();
}

function wordsOfTemplate(
  { name, parameters }: MessageTemplate,
  components: readonly unknown[],
): string {
  const body = bodyWith(components, parameters);
  return isBlank(body) ? `[template] ${[name, ...parameters].join(', ')}` : body;
}

/** Some servers require the two sides to alternate. */
function together(rows: readonly Row[]): AiMessage[] {
  const messages: { role: AiMessage['role']; content: string }[] = [];
  for (const row of rows) {
    const role = row.inbound ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n${wordsOf(row)}`;
    else messages.push({ role, content: wordsOf(row) });
  }
  return messages;
}
