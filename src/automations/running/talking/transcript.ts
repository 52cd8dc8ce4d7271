import type { AiMessage } from '../../../ai/client.ts';
import type { InWorkspace } from '../../../context.ts';

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
}

const LATEST = `
select id, direction = 'inbound' as inbound, type, left(text, ${LONGEST_MESSAGE}) as text from messages
where organization_id = $1 and conversation_id = $2 and status not in ('failed', 'cancelled')
order by id desc limit ${MOST_MESSAGES}`;

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
  const shown = recent(latest.filter(({ type }) => type !== 'reaction'));
  return { messages: together(shown.toReversed()), heard };
}

/** From the latest one backwards, as many as fit. */
function recent(latest: readonly Row[]): Row[] {
  let room = LONGEST;
  return latest.filter((row) => {
    room -= wordsOf(row).length;
    return room >= 0;
  });
}

/** A file without words is represented by its kind. */
const wordsOf = ({ type, text }: Row): string =>
  type === 'text' || type === 'template' ? text : `[${type}] ${text}`.trim();

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
