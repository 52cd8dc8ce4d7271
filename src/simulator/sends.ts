import type { IncomingMessage, ServerResponse } from 'node:http';
import { graphErrorBody, httpStatusOf } from './graph-errors.ts';
import { answerJson, parseJson, readBody } from './http.ts';
import { type Fate, verdictFor } from './magic.ts';
import { readSendBody, type SendRequest } from './send-body.ts';
import type { State } from './state.ts';
import { newWamid } from './wamid.ts';

const DISCONNECTED = 190;
const THROTTLED = 130429;

type Decision =
  | { kind: 'accept'; fate: Fate; mode: 'answer' | 'drop' | 'hang' }
  | { kind: 'refuse'; code: number }
  | { kind: 'error' };

const UNREAD: SendRequest = {
  to: '',
  isPhone: true,
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
  const verdict = verdictFor(request.isPhone ? request.to : '');
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

function acceptedBody({ input, to, isPhone }: SendRequest, wamid: string): string {
  return JSON.stringify({
    messaging_product: 'whatsapp',
    contacts: [isPhone ? { input, wa_id: to } : { input, user_id: to }],
    messages: [{ id: wamid }],
  });
}

function answerRefused(res: ServerResponse, code: number, details?: string): void {
  const status = httpStatusOf(code);
  const headers = status === 429 ? { 'retry-after': '1' } : {};
  answerJson(res, status, graphErrorBody(code, details), headers);
}

function answerUnavailable(res: ServerResponse): void {
  answerJson(res, 503, graphErrorBody(2));
}

/** A line for a request of which nothing was accepted, then the answer. */
function recordRefusal(
  state: State,
  phoneNumberId: string,
  request: SendRequest,
  decision: string,
  answer: () => void,
): void {
  const { key, to, type, text } = request;
  state.ledger.append(
    { t: Date.now(), key, phone_number_id: phoneNumberId, to, type, text, wamid: null, decision },
    answer,
  );
}

const DECISION_NAMES = { answer: 'accepted', drop: 'accepted:dropped', hang: 'accepted:hung' };

function carryOut(
  state: State,
  res: ServerResponse,
  phoneNumberId: string,
  request: SendRequest,
  { fate, mode }: Decision & { kind: 'accept' },
): void {
  const { key, to, isPhone, type, text } = request;
  const wamid = newWamid(to);
  const t = Date.now();
  const entry = { t, key, phone_number_id: phoneNumberId, to, type, text, wamid };
  state.ledger.append({ ...entry, decision: DECISION_NAMES[mode] }, (problem) => {
    if (problem) return answerUnavailable(res);
    const bubble = { wamid, direction: 'to_person', type, text, t } as const;
    const show = state.phones.show({ phone_number_id: phoneNumberId, person: to }, bubble);
    const waitMs = mode === 'answer' ? state.faults.latency_ms : 0;
    const recipient = { id: to, isPhone };
    const accepted = { phone_number_id: phoneNumberId, recipient, wamid, key, show };
    state.webhooks.follow(accepted, fate, Date.now() + waitMs);
    if (mode === 'drop') res.socket?.destroy();
    if (mode !== 'answer') return;
    const answer = () => answerJson(res, 200, acceptedBody(request, wamid));
    if (waitMs > 0) setTimeout(answer, waitMs).unref();
    else answer();
  });
}

/** `POST /{version}/{phone_number_id}/messages`, as the Cloud API answers it. */
export function handleSend(
  state: State,
  req: IncomingMessage,
  res: ServerResponse,
  phoneNumberId: string,
): void {
  readBody(req, (body) => {
    if (!/^Bearer \S/.test(req.headers.authorization ?? '')) {
      const decision = `refused:${DISCONNECTED}`;
      return recordRefusal(state, phoneNumberId, UNREAD, decision, () =>
        answerRefused(res, DISCONNECTED, 'An access token is required.'),
      );
    }
    const read = readSendBody(parseJson(body));
    if (!read.ok) {
      return recordRefusal(state, phoneNumberId, UNREAD, 'refused:100', () =>
        answerRefused(res, 100, read.details),
      );
    }
    const decision = decide(state, phoneNumberId, read.request);
    if (decision.kind === 'accept') {
      return carryOut(state, res, phoneNumberId, read.request, decision);
    }
    if (decision.kind === 'error') {
      return recordRefusal(state, phoneNumberId, read.request, 'refused:503', () =>
        answerUnavailable(res),
      );
    }
    recordRefusal(state, phoneNumberId, read.request, `refused:${decision.code}`, () =>
      answerRefused(res, decision.code),
    );
  });
}
