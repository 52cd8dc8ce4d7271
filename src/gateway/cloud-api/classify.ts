import type { LossReason, NumberHalt, SendResult } from '../port.ts';
import { jsonOf } from './exchange.ts';
import { type GraphError, graphError, sendAnswer } from './wire.ts';

/** The Cloud API's answer to a send, as received. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The header `Retry-After`, if there was one. */
  readonly retryAfter: string | null;
}

type Verdict =
  | { readonly kind: 'refused'; readonly reason: LossReason }
  | { readonly kind: 'number' | 'recipient'; readonly reason: LossReason; readonly waitMs: number }
  | { readonly kind: 'halted'; readonly cause: 'spam_limit' | NumberHalt };

const refused = (reason: LossReason): Verdict => ({ kind: 'refused', reason });
const numberWaits = (reason: LossReason, waitMs: number): Verdict => ({
  kind: 'number',
  reason,
  waitMs,
});
const recipientWaits = (reason: LossReason, waitMs: number): Verdict => ({
  kind: 'recipient',
  reason,
  waitMs,
});
const halted = (cause: 'spam_limit' | NumberHalt): Verdict => ({ kind: 'halted', cause });

/** The person stopped this business's marketing messages in WhatsApp itself. */
export const OPTED_OUT_CODE = 131050;
/** WhatsApp does not know the group, or we are not in it. */
export const GROUP_UNKNOWN_CODE = 131041;

export const INVALID_PARAMETER_CODE = 100;

/** Design decisions §22. Only the code decides, because Meta says that titles will be removed. */
const VERDICTS: Readonly<Record<number, Verdict>> = {
  0: halted('disconnected'),
  1: recipientWaits('provider_error', 1_000),
  2: recipientWaits('provider_error', 1_000),
  // Of the token's rights, although its status is 500.
  3: halted('disconnected'),
  4: numberWaits('throttled', 1_000),
  10: halted('disconnected'),
  33: halted('error'),
  190: halted('disconnected'),
  368: halted('suspended'),
  80007: numberWaits('throttled', 1_000),
  // This business blocked the person.
  130403: refused('no_recipient'),
  130429: numberWaits('throttled', 1_000),
  130472: refused('throttled'),
  // The account may not write to the person's country.
  130497: refused('no_recipient'),
  131000: recipientWaits('provider_error', 1_000),
  131005: halted('disconnected'),
  131016: recipientWaits('provider_error', 1_000),
  131020: refused('no_recipient'),
  // The number itself.
  131021: refused('no_recipient'),
  131026: refused('no_whatsapp'),
  131031: halted('suspended'),
  // The name that the number shows is not approved.
  131037: halted('error'),
  // The account's payment.
  131042: halted('suspended'),
  // The number is not registered.
  131045: halted('error'),
  133010: halted('error'),
  [GROUP_UNKNOWN_CODE]: refused('no_recipient'),
  131047: refused('out_of_window'),
  131048: halted('spam_limit'),
  131049: refused('throttled'),
  [OPTED_OUT_CODE]: refused('no_recipient'),
  131052: refused('media_invalid'),
  131053: refused('media_invalid'),
  131056: recipientWaits('throttled', 6_000),
  // The number is being upgraded or moved; Meta says for some minutes.
  131057: numberWaits('number_unavailable', 60_000),
  2494100: numberWaits('number_unavailable', 60_000),
  // A template that goes to a phone only; this person hides theirs.
  131062: refused('no_recipient'),
  // The account sends no marketing templates through the Cloud API.
  131063: refused('template_invalid'),
  // The account's templates were in a wrong category too often: it ends by itself, after days.
  131064: halted('spam_limit'),
  // WhatsApp has suspended the group.
  131207: refused('no_recipient'),
  131208: numberWaits('throttled', 1_000),
  // The template asks for a payment, for which the account has yet to accept WhatsApp's terms.
  134011: refused('template_invalid'),
};

const TEMPLATE_CODES = /^132\d{3}$/;
/** Rights that the token does not have. */
const PERMISSION_CODES = /^2\d{2}$/;
/** WhatsApp does not know the number that the call names, or does not show it to this token. */
const NUMBER_UNKNOWN_SUBCODE = 33;

function verdictOn(code: number, status: number, subcode?: number): Verdict {
  const known = VERDICTS[code];
  if (known) return known;
  if (status === 401 || PERMISSION_CODES.test(String(code))) return halted('disconnected');
  if (code === INVALID_PARAMETER_CODE && subcode === NUMBER_UNKNOWN_SUBCODE) return halted('error');
  if (TEMPLATE_CODES.test(String(code))) return refused('template_invalid');
  if (status === 429) return numberWaits('throttled', 1_000);
  return status >= 500 ? recipientWaits('provider_error', 1_000) : refused('policy');
}

/** Why a `failed` status webhook lost the message: the same table, for a message already accepted. */
export function reasonOf(code: number): LossReason {
  const verdict = verdictOn(code, 400);
  if (verdict.kind !== 'halted') return verdict.reason;
  return verdict.cause === 'spam_limit' ? 'throttled' : 'number_unavailable';
}

/** What a code stops beyond its own message: the campaign (`spam_limit`) or the number; null for neither. */
export function haltOf(code: number): 'spam_limit' | NumberHalt | null {
  const verdict = verdictOn(code, 400);
  return verdict.kind === 'halted' ? verdict.cause : null;
}

const LONGEST_WAIT_MS = 3_600_000;

function waitOf(retryAfter: string | null): number {
  const seconds = retryAfter && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0;
  return Math.min(seconds * 1_000, LONGEST_WAIT_MS);
}

/**
 * The meaning of an answer. A body that is not a Graph error does not say who wrote it; see each branch.
 *
 * @param hasFile whether a message has a file, or a file is uploaded: then it is the file that WhatsApp does not take, or
 *   its id that it does not know (100)
 */
export function classify(answer: Answer, hasFile = false): SendResult {
  const body = jsonOf(answer.body);
  if (answer.status >= 200 && answer.status < 300) {
    const sent = sendAnswer.safeParse(body).data?.messages[0];
    if (!sent) return { kind: 'unknown', message: 'The answer holds no message id.' };
    const kind = sent.message_status === 'accepted' ? 'accepted' : 'held';
    return { kind, providerId: sent.id };
  }
  const error = graphError.safeParse(body).data?.error;
  if (error) return fromError(error, answer, hasFile);
  return withoutCode(answer);
}

function fromError(
  { code, error_subcode: subcode, message }: GraphError,
  { status, retryAfter }: Answer,
  hasFile: boolean,
): SendResult {
  const known = verdictOn(code, status, subcode);
  const isOfFile = hasFile && code === INVALID_PARAMETER_CODE && known.kind === 'refused';
  const verdict = isOfFile ? refused('media_invalid') : known;
  switch (verdict.kind) {
    case 'refused':
      return { kind: 'refused', reason: verdict.reason, providerCode: code, message };
    case 'halted':
      return { kind: 'halted', cause: verdict.cause, providerCode: code, message };
    default:
      return {
        kind: 'throttled',
        scope: verdict.kind,
        reason: verdict.reason,
        retryAfterMs: Math.max(verdict.waitMs, waitOf(retryAfter)),
        providerCode: code,
      };
  }
}

/**
 * Something between us and WhatsApp answered. A 5xx may come from a proxy whose upstream did accept, and 408 from one
 * that stopped waiting; every other status proves that the message was not accepted.
 */
function withoutCode({ status, retryAfter }: Answer): SendResult {
  if (status >= 500 || status === 408) {
    return { kind: 'unknown', message: `Status ${status} without an error code.` };
  }
  return {
    kind: 'throttled',
    scope: status === 429 ? 'number' : 'recipient',
    reason: status === 429 ? 'throttled' : 'provider_error',
    retryAfterMs: Math.max(1_000, waitOf(retryAfter)),
    providerCode: null,
  };
}

const UNSENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'NOT_STARTED',
]);

/**
 * Whether it is WhatsApp who wants fewer messages of the number, rather than us who do not reach it: that says nothing of
 * the number.
 */
export const asksForFewer = ({
  reason,
  providerCode,
}: Extract<SendResult, { kind: 'throttled' }>): boolean =>
  providerCode !== null || reason === 'throttled';

/**
 * The meaning of a request without an answer: only a connection that was never established, or never free, proves that
 * nothing was sent. In all other cases, including a reset after writing, it may have arrived.
 */
export function classifyFailure(error: unknown): SendResult {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (UNSENT_CODES.has(code ?? '') || syscall === 'connect' || syscall === 'getaddrinfo') {
    return {
      kind: 'throttled',
      scope: 'number',
      reason: 'provider_error',
      retryAfterMs: 1_000,
      providerCode: null,
    };
  }
  return { kind: 'unknown', message: `No answer: ${code ?? message}` };
}
