import type { IncomingMessage, ServerResponse } from 'node:http';
import { graphErrorBody, httpStatusOf, unknownIdBody } from './graph-errors.ts';
import { answerJson, hasToken } from './http.ts';
import { verdictFor } from './sending/magic.ts';
import type { State } from './state.ts';
import { ACCOUNT_ID } from './webhooks/envelopes.ts';

/** The app of all tokens. */
const APP = { id: '200000000000001', name: 'Workspace Messaging' };

const BAD_TOKEN = 190;

const NUMBER_PATH = /^\/v\d+\.\d+\/(\d{1,64})$/;
const SUBSCRIPTIONS_PATH = /^\/v\d+\.\d+\/(\d{1,64})\/subscribed_apps$/;

/**
 * What is asked of the Graph API when a number is connected.
 *
 * @returns false for anything else; without `fields` an id is that of a file
 */
export function answerAccounts(
  state: State,
  req: IncomingMessage,
  res: ServerResponse,
  { pathname: path, searchParams: query }: URL,
): boolean {
  const [, number] = (query.has('fields') && NUMBER_PATH.exec(path)) || [];
  const [, account] = SUBSCRIPTIONS_PATH.exec(path) ?? [];
  if (number) answerJson(res, ...numberAnswer(state, req, number));
  else if (account) answerJson(res, ...subscriptionAnswer(state, req, account));
  return number !== undefined || account !== undefined;
}

type Answer = readonly [status: number, json: string];

const refused = (code: number): Answer => [httpStatusOf(code), graphErrorBody(code)];

/**
 * `GET /{version}/{phone_number_id}?fields=…`. Here the id of a number is its phone, in digits; by its last seven it is
 * refused as a message to that phone would be.
 */
function numberAnswer({ disconnected }: State, req: IncomingMessage, id: string): Answer {
  const verdict = verdictFor(id);
  if (!hasToken(req) || disconnected.has(id)) return refused(BAD_TOKEN);
  if (verdict.kind === 'refuse') return refused(verdict.code);
  if (!/^\d{7,15}$/.test(id)) return [400, unknownIdBody('get', id)];
  const entities = [
    { entity_type: 'PHONE_NUMBER', id, can_send_message: 'AVAILABLE' },
    { entity_type: 'WABA', id: ACCOUNT_ID, can_send_message: 'AVAILABLE' },
    { entity_type: 'APP', id: APP.id, can_send_message: 'AVAILABLE' },
  ];
  const health_status = { can_send_message: 'AVAILABLE', entities };
  return [200, JSON.stringify({ display_phone_number: `+${id}`, health_status, id })];
}

/** `/{version}/{business_account_id}/subscribed_apps`, by GET and POST; the simulator's webhooks come without it, too. */
function subscriptionAnswer(state: State, req: IncomingMessage, id: string): Answer {
  const posts = req.method === 'POST';
  if (!hasToken(req)) return refused(BAD_TOKEN);
  if (id !== ACCOUNT_ID) return [400, unknownIdBody(posts ? 'post' : 'get', id)];
  state.subscribed ||= posts;
  const data = state.subscribed ? [{ whatsapp_business_api_data: APP }] : [];
  return [200, JSON.stringify(posts ? { success: true } : { data })];
}
