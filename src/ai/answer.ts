import { z } from 'zod';

/** Something the model may do instead of, or in addition to, answering. */
export interface AiTool {
  readonly name: string;
  readonly description: string;
}

/** A failure is an answer too, with a message that may be shown. */
export type AiAnswer =
  /** `text` is trimmed, and may be empty if there is a tool. `tool` is one of those offered. */
  | { readonly ok: true; readonly text: string; readonly tool: string | null }
  /** A message that may be shown: it contains neither the key nor the conversation. */
  | { readonly ok: false; readonly message: string };

/** The part of a chat completion that is used; servers add their own fields. */
const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
        }),
      }),
    )
    .min(1),
});

const unreadable: AiAnswer = { ok: false, message: 'The AI failed. Its answer cannot be read.' };
const silent: AiAnswer = { ok: false, message: 'The AI failed. Its answer was empty.' };

/** What a completion says. Using a tool that was not offered is not an answer. */
export function answerOf(body: string, tools: readonly AiTool[]): AiAnswer {
  const parsed = completion.safeParse(jsonOf(body));
  const message = parsed.data?.choices[0]?.message;
  if (!message) return unreadable;
  const called = message.tool_calls?.[0]?.function.name ?? null;
  if (called !== null && !tools.some(({ name }) => name === called)) return unreadable;
  return saidBy(message.content ?? '', called);
}

/** What a model says and decides; nothing at all is no answer. */
export function saidBy(content: string, tool: string | null): AiAnswer {
  // NUL is the one character that our texts cannot contain.
  const text = content.replaceAll('\u0000', '').trim();
  return text === '' && tool === null ? silent : { ok: true, text, tool };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
