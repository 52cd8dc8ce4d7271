import { type AiClient, createAiClient } from '../../src/ai/client.ts';
import { type Answer, type Receiver, startReceiver } from './receiver.ts';

/** A question as the server saw it: the parts of OpenAI's chat completions that we use. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

export interface AiServer {
  readonly receiver: Receiver;
  readonly client: AiClient;
  /** The questions so far. */
  asked(): Asked[];
  /** What the model says next, one answer for each question; the last one stays. */
  says(...answers: (string | { readonly tool: string; readonly text?: string } | Answer)[]): void;
  /** Forgets the questions. */
  reset(): void;
  close(): Promise<void>;
}

export const AI_KEY = 'sk-of-the-tests';

/** A stand-in for any server with OpenAI's chat completions, on loopback. */
export async function startAi({ timeoutMs = 10_000 } = {}): Promise<AiServer> {
  const receiver = await startReceiver();
  const settings = { model: 'a-model', apiKey: AI_KEY, maxTokens: 300, timeoutMs };
  const client = createAiClient({ ...settings, baseUrl: `${receiver.origin}/v1/` });
  return {
    receiver,
    client,
    asked: () => receiver.received.map(({ body }) => JSON.parse(body)),
    says: (...answers) => {
      const left = answers.map((one) => {
        if (typeof one === 'string') return completion(one, null);
        return 'tool' in one ? completion(one.text ?? null, one.tool) : one;
      });
      const last = left.at(-1) ?? completion('Ok.', null);
      receiver.answer = () => left.shift() ?? last;
    },
    reset: () => {
      receiver.received.length = 0;
    },
    close: () => {
      client.close();
      return receiver.close();
    },
  };
}

function completion(content: string | null, tool: string | null): Answer {
  const tool_calls = tool && [
    { id: 'call_1', type: 'function', function: { name: tool, arguments: '{}' } },
  ];
  const message = { role: 'assistant', content, ...(tool_calls ? { tool_calls } : {}) };
  const choice = { index: 0, message, finish_reason: tool ? 'tool_calls' : 'stop' };
  const body = { id: 'chatcmpl-1', object: 'chat.completion', choices: [choice], usage: {} };
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: JSON.stringify(body) };
}
