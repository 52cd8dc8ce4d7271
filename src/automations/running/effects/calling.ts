import type { SendOutcome } from '../../../net/outcome.ts';
import { fill } from '../conditions/variables.ts';
import type { AtStep, Effects, Outcome, Output, StepOf } from '../effect.ts';
import { saveField } from '../saving.ts';

type Step = StepOf<'http_request'>;

interface Request {
  readonly url: string;
  readonly method: Step['method'];
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly timeoutMs: number;
}

type Answer = Exclude<SendOutcome, { kind: 'infrastructure' }>;

/** Steps that call other people's servers, through the sender that checks addresses. */
export const calling = {
  http_request: {
    enter: async (at) => ({ kind: 'call', request: await requestOf(at) }),

    /** After a crash it may be sent again with the same key, by which receivers recognise it. */
    call: async ({ sender }, request, key) => {
      const { headers, ...rest } = request as Request;
      const outcome = await sender.request({
        ...rest,
        headers: { ...headers, 'idempotency-key': key },
      });
      // Our own resolver is down, or the process is ending: the call was not made, and is repeated later.
      if (outcome.kind === 'infrastructure') throw new Error(outcome.message);
      return outcome;
    },

    called: (at, answer) => heard(at, answer as Answer),
  },
} satisfies Effects;

async function requestOf(at: AtStep<Step>): Promise<Request> {
  const { url, method, timeout_seconds, body } = at.step;
  const named = Object.entries(at.step.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const own: Record<string, string> = Object.fromEntries(named);
  const type = own['content-type'] ?? (isJson(body) ? 'application/json' : 'text/plain');
  return {
    url: new URL(await fill(at, url, inAddress)).href,
    method,
    headers: {
      'user-agent': 'workspace-messaging-automations/1',
      ...own,
      ...(body === null ? {} : { 'content-type': type }),
    },
    body: body === null ? null : await fill(at, body, encodingOf(type)),
    timeoutMs: timeout_seconds * 1000,
  };
}

/** Leads to no other path, and adds no parameter: dots alone would name a folder above. */
const inAddress = (value: string): string => encodeURIComponent(value.replace(/^\.+$/, ''));

/** Checked with its variables in place, which must be inside strings. */
function isJson(body: string | null): boolean {
  try {
    return body !== null && Boolean(JSON.parse(body));
  } catch {
    return false;
  }
}

/** What a person wrote stays a value: it cannot add a member to an object or a parameter to a form. */
function encodingOf(contentType: string): (value: string) => string {
  if (/[/+]json\b/i.test(contentType)) return (value) => JSON.stringify(value).slice(1, -1);
  if (/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent;
  return (value) => value;
}

async function heard(at: AtStep<Step>, answer: Answer): Promise<Outcome> {
  const { step } = at;
  const ok = answer.kind === 'delivered';
  const output: Output = { status: answer.code, ok, body: answer.response };
  const failure = ok ? await saved(at, answer) : failed(step, answer);
  if (!failure) return { kind: 'next', to: step.next, output };
  return step.on_error === null ? failure : { kind: 'next', to: step.on_error, output };
}

/** Null if the answer was saved, or need not be. */
const saved = async (at: AtStep<Step>, { response }: Answer): Promise<Outcome | null> =>
  at.step.save_to === null ? null : saveField(at, at.step.save_to, response ?? '');

const failed = (step: Step, answer: Answer): Outcome => ({
  kind: 'fail',
  code: 'http_failed',
  message: wordsOf(step, answer),
});

/** Names only the host, because a path may be confidential. */
function wordsOf({ url, timeout_seconds }: Step, { code, error }: Answer): string {
  const { host } = new URL(url);
  if (code !== null) return `${host} answered with the status ${code}.`;
  if (error === 'timeout') return `${host} did not answer within ${timeout_seconds} seconds.`;
  if (error === 'private_address') return `${host} is not on the public internet.`;
  if (error === 'dns') return `There is no host ${host}.`;
  return `${host} could not be reached.`;
}
