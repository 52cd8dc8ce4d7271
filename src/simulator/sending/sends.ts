import type { IncomingMessage, ServerResponse } from 'node:http';
import { graphErrorBody, httpStatusOf } from '../graph-errors.ts';
import { answerJson, hasToken, parseJson, readBody } from '../http.ts';
import type { State } from '../state.ts';
import { type Fate, verdictFor } from './magic.ts';
import { readSendBody, type SendRequest } from './send-body.ts';
import { newWamid } from './wamid.ts';

/** The code for both a missing token and a disconnected number. */
const DISCONNECTED = 190;
const THROTTLED = 130429;

type Decision =
  | { kind: 'accept'; fate: Fate; mode: 'answer' | 'drop' | 'hang' }
  | { kind: 'refuse'; code: number }
  | { kind: 'error' };

const UNREAD: SendRequest = {
  to: '',
  isPhone: true,
  isGroup: false,
  input: '',
  type: '',
  text: null,
  key: null,
};

const refuse = (code: number): Decision => ({ kind: 'refuse', code });

function throttle(state: State, send: string, times: number, afterwards: Fate): Decision {
  const refusals = state.throttled.get(send) ?? 0;
  if (refusals < times) {
    state.throttled.set(send, refusals + 1);
    return refuse(THROTTLED);
  }
  state.throttled.delete(send);
  return accept(state, afterwards);
}

function accept({ faults }: State, fate: Fate): Decision {
  const drops = faults.drop_after_accept_rate > 0 && Math.random() < faults.drop_after_accept_rate;
  return {
    kind: 'accept',
    fate,
    mode: faults.hang_after_accept ? 'hang' : drops ? 'drop' : 'answer',
  };
}

function decide(state: State, phoneNumberId: string, request: SendRequest): Decision {
  if (state.disconnected.has(phoneNumberId)) return refuse(DISCONNECTED);
  if (!state.admits(phoneNumberId)) return refuse(THROTTLED);
  if (state.faults.error_rate > 0 && Math.random() < state.faults.error_rate) {
    return { kind: 'error' };
  }
  const verdict = verdictFor(request.isPhone || request.isGroup ? request.to : '');
  switch (verdict.kind) {
    case 'refuse':
      return refuse(verdict.code);
    case 'disconnect':
      state.disconnected.add(phoneNumberId);
      return refuse(DISCONNECTED);
    case 'throttle': {
      const send = `${phoneNumberId} ${request.to} ${request.key}`;
      return throttle(state, send, verdict.times, verdict.afterwards);
    }
    case 'accept':
      return accept(state, verdict.fate);
  }
}

function acceptedBody({ input, to, isPhone }: SendRequest, wamid: string, { held }: Fate): string {
  return JSON.stringify({
    messaging_product: 'whatsapp',
    contacts: [isPhone ? { input, wa_id: to } : { input, user_id: to }],
    messages: [{ id: wamid, ...(held && { message_status: 'held_for_quality_assessment' }) }],
  });
}

const DECISION_NAMES = { answer: 'accepted', drop: 'accepted:dropped', hang: 'accepted:hung' };

/** One send request, from arrival to answer. */
interface Send {
  state: State;
  res: ServerResponse;
  phoneNumberId: string;
  /** On the monotonic clock, in milliseconds. */
  arrivedAt: number;
  request: SendRequest;
}

/** Answers `latency_ms` after the arrival, including the simulator's own time. */
function answerLater({ state, arrivedAt }: Send, answer: () => void): void {
  const latencyMs = state.faults.latency_ms;
  if (latencyMs === 0) {
    answer();
    return;
  }
  const leftMs = arrivedAt + latencyMs - performance.now();
  setTimeout(answer, Math.max(1, leftMs)).unref();
}

/** Records a request that was not accepted, then answers it. */
function turnDown(send: Send, decision: string, answer: (res: ServerResponse) => void): void {
  const { key, to, type, text } = send.request;
  const entry = { t: Date.now(), key, phone_number_id: send.phoneNumberId, to, type, text };
  send.state.ledger.append({ ...entry, wamid: null, decision }, () =>
    answerLater(send, () => answer(send.res)),
  );
}

function answerError(send: Send, code: number, details?: string): void {
  const status = httpStatusOf(code);
  const headers = status === 429 ? { 'retry-after': '1' } : {};
  turnDown(send, `refused:${code}`, (res) =>
    answerJson(res, status, graphErrorBody(code, details), headers),
  );
}

const answerUnavailable = (res: ServerResponse): void => answerJson(res, 503, graphErrorBody(2));

function carryOut(send: Send, { fate, mode }: Decision & { kind: 'accept' }): void {
  const { state, res, phoneNumberId, request } = send;
  const { key, to, isPhone, type, text } = request;
  const wamid = newWamid(to);
  const t = Date.now();
  const entry = { t, key, phone_number_id: phoneNumberId, to, type, text, wamid };
  state.ledger.append({ ...entry, decision: DECISION_NAMES[mode] }, (line) => {
    if (line instanceof Error) return answerUnavailable(res);
    const bubble = { wamid, direction: 'to_person', type, text, t } as const;
    const show = state.phones.show({ phone_number_id: phoneNumberId, person: to }, bubble);
    const recipient = { id: to, isPhone };
    const { n } = line;
    const accepted = { n, phone_number_id: phoneNumberId, recipient, wamid, key, show };
    state.webhooks.follow(accepted, fate, t + (mode === 'answer' ? state.faults.latency_ms : 0));
    if (mode === 'drop') res.socket?.destroy();
    if (mode === 'answer') {
      answerLater(send, () => answerJson(res, 200, acceptedBody(request, wamid, fate)));
    }
  });
}

/** Answers `POST /{version}/{phone_number_id}/messages` as the Cloud API does. */
export function handleSend(
  state: State,
  req: IncomingMessage,
  res: ServerResponse,
  phoneNumberId: string,
): void {
  const arrivedAt = performance.now();
  readBody(req, (body) => {
    const send: Send = { state, res, phoneNumberId, arrivedAt, request: UNREAD };
    if (!hasToken(req)) return answerError(send, DISCONNECTED, 'An access token is required.');
    const read = readSendBody(parseJson(body));
    if (!read.ok) return answerError(send, read.code ?? 100, read.details);
    send.request = read.request;
    const decision = decide(state, phoneNumberId, read.request);
    if (decision.kind === 'accept') return carryOut(send, decision);
    if (decision.kind === 'refuse') return answerError(send, decision.code);
    turnDown(send, 'refused:503', answerUnavailable);
  });
}
