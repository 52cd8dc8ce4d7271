import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type AiAnswer, type AiTool, answerOf } from './answer.ts';

/** The AI server and its limits (docs/configuration.md, `AI_*`). */
export interface AiSettings {
  /** Everything before `/chat/completions`: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token; self-hosted servers often need none. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** For one question, including its repetition. */
  readonly timeoutMs: number;
  /** For one answer. */
  readonly maxTokens: number;
}

/** One turn of a conversation; `user` is the contact. */
export interface AiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A question to the model. */
export interface AiQuestion {
  /** Written by us only: what a person wrote never becomes part of it. */
  readonly instructions: string;
  /** The oldest first. */
  readonly messages: readonly AiMessage[];
  readonly tools: readonly AiTool[];
}

/** One server with OpenAI's `POST /chat/completions`. */
export interface AiClient {
  /** Rejects only if the client is closed meanwhile; asking again later will work. */
  ask(question: AiQuestion): Promise<AiAnswer>;
  /** Ends questions in progress. */
  close(): void;
}

/** The configured client; undefined if none is configured. */
export function aiOf(config: Config): AiClient | undefined {
  const { AI_BASE_URL: baseUrl, AI_MODEL: model, AI_API_KEY: apiKey } = config;
  if (!baseUrl || !model) return undefined;
  const timeoutMs = config.AI_TIMEOUT_SECONDS * 1000;
  return createAiClient({ baseUrl, model, apiKey, timeoutMs, maxTokens: config.AI_MAX_TOKENS });
}

/** A question refused with 429 or 5xx is repeated once, when the server asks for it, but after this long at most. */
const LONGEST_PAUSE_MS = 5_000;
const PAUSE_MS = 1_000;
/** More than any answer of `maxTokens` needs. */
const MOST_BYTES = 1_048_576;

interface Reply {
  readonly answer: AiAnswer;
  /** Null if asking again will not help. */
  readonly againAfterMs: number | null;
  /** Newer models have another name for the limit, and say so. */
  readonly renames?: boolean;
}

type Limit = 'max_tokens' | 'max_completion_tokens';

/**
 * Talks to any server with OpenAI's chat completions. The operator chose it, so its address is not vetted like
 * customers' addresses. Logs nothing.
 */
export function createAiClient(settings: AiSettings): AiClient {
  const url = `${settings.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const closing = new AbortController();
  let limit: Limit = 'max_tokens';

  const once = (question: AiQuestion, signal: AbortSignal): Promise<Reply> => {
    const body = JSON.stringify(bodyOf(settings, question, limit));
    return attempt({ url, body, signal, tools: question.tools }, settings);
  };

  async function twice(question: AiQuestion, signal: AbortSignal): Promise<AiAnswer> {
    const { answer, againAfterMs, renames } = await once(question, signal);
    if (againAfterMs === null) return answer;
    if (renames) limit = 'max_completion_tokens';
    await sleep(againAfterMs, undefined, { signal }).catch(() => {});
    return signal.aborted ? answer : (await once(question, signal)).answer;
  }

  return {
    async ask(question) {
      const signals = [AbortSignal.timeout(settings.timeoutMs), closing.signal];
      const answer = await twice(question, AbortSignal.any(signals));
      if (closing.signal.aborted) throw new Error('the process ends before the AI has answered');
      return answer;
    },
    close: () => closing.abort(),
  };
}

const bodyOf = (
  { model, maxTokens }: AiSettings,
  { instructions, messages, tools }: AiQuestion,
  limit: Limit,
) => ({
  model,
  [limit]: maxTokens,
  messages: [{ role: 'system', content: instructions }, ...messages],
  ...(tools.length === 0 ? {} : { tools: tools.map(asFunction) }),
});

const asFunction = ({ name, description }: AiTool) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
});

interface Attempt {
  readonly url: string;
  readonly body: string;
  readonly tools: readonly AiTool[];
  readonly signal: AbortSignal;
}

async function attempt(
  { url, body, tools, signal }: Attempt,
  { apiKey, timeoutMs }: AiSettings,
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect would send the conversation to a place that no one chose.
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal,
    });
    const text = await textOf(response);
    if (!response.ok) return refused(response, text ?? '');
    const answer = text === null ? failed('It answered too much.') : answerOf(text, tools);
    return { answer, againAfterMs: null };
  } catch {
    const message = `It did not answer within ${timeoutMs / 1000} seconds.`;
    if (signal.aborted) return { answer: failed(message), againAfterMs: null };
    return { answer: failed('It could not be reached.'), againAfterMs: PAUSE_MS };
  }
}

const failed = (message: string): AiAnswer => ({ ok: false, message: `The AI failed. ${message}` });

function refused({ status, headers }: Response, text: string): Reply {
  const answer = failed(`It answered with the status ${status}.`);
  if (status === 400 && text.includes('max_completion_tokens'))
    return { answer, againAfterMs: 0, renames: true };
  if (status !== 429 && status < 500) return { answer, againAfterMs: null };
  const asked = headers.get('retry-after') ?? '';
  const againAfterMs = /^\d{1,6}$/.test(asked) ? Number(asked) * 1000 : PAUSE_MS;
  return { answer, againAfterMs: Math.min(againAfterMs, LONGEST_PAUSE_MS) };
}

/** Null if it is larger than any legitimate answer. */
async function textOf(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of response.body ?? []) {
    read += chunk.length;
    if (read > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
