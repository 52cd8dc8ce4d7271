import type { z } from 'zod';
import { messageOf, unavailable } from '../../errors.ts';
import type { Account, NumberProfile, Quality, Refusal, Subscribed } from '../port.ts';
import {
  profileAnswer,
  qualityAnswer,
  subscribeAnswer,
  subscriptionsAnswer,
} from './account-wire.ts';
import { type Answer, classify } from './classify.ts';
import { type GraphClient, pathOf } from './client.ts';
import { jsonOf } from './exchange.ts';

/** The health of a number names all that its messages pass, and so its account and the token's app. */
const FIELDS = 'display_phone_number,health_status';

/** What WhatsApp knows of a number. */
export async function profile(
  client: GraphClient,
  number: Account,
): Promise<NumberProfile | Refusal> {
  const answer = await ask(client, profileAnswer, number, 'GET', `?fields=${FIELDS}`);
  if (answer.kind === 'refused') return answer;
  const { display_phone_number: shown, health_status: health } = answer.said;
  const idOf = (kind: string): string | null =>
    health.entities.find(({ entity_type: type }) => type === kind)?.id ?? null;
  const phone = `+${shown.replaceAll(/\D/g, '')}`;
  return { kind: 'known', phone, businessAccountId: idOf('WABA'), appId: idOf('APP') };
}

/** How WhatsApp rates a number. Throws `unavailable` for any answer that does not say it. */
export async function quality(
  client: GraphClient,
  { id, accessToken }: Account,
  signal?: AbortSignal,
): Promise<Quality> {
  const path = pathOf({ id }, '?fields=quality_rating');
  const answer = await client.call({ method: 'GET', path, accessToken, signal });
  const read = qualityAnswer.safeParse(answer.status === 200 ? jsonOf(answer.body) : null).data;
  if (!read) throw unavailable(`WhatsApp answered ${answer.status}.`);
  return read.quality_rating.toLowerCase() as Quality;
}

/**
 * Subscribes the token's app, unless it is: subscribing again would send the webhooks to the app's own callback address,
 * though the account may have another (`override_callback_uri`). An app that is not known is taken for any that is.
 */
export async function subscribe(
  client: GraphClient,
  business: Account,
  appId: string | null,
): Promise<Subscribed | Refusal> {
  const apps = await ask(client, subscriptionsAnswer, business, 'GET', '/subscribed_apps');
  if (apps.kind === 'refused') return apps;
  const isIts = (id: string): boolean => appId === null || id === appId;
  if (apps.said.data.some(({ whatsapp_business_api_data: app }) => app && isIts(app.id)))
    return { kind: 'subscribed' };
  const done = await ask(client, subscribeAnswer, business, 'POST', '/subscribed_apps');
  return done.kind === 'refused' ? done : { kind: 'subscribed' };
}

/** What WhatsApp answers, or why it refuses. Throws `unavailable` where it says neither. */
async function ask<Said>(
  client: GraphClient,
  schema: z.ZodType<Said>,
  { id, accessToken }: Account,
  method: 'GET' | 'POST',
  rest: string,
): Promise<{ readonly kind: 'said'; readonly said: Said } | Refusal> {
  const answer = await client
    .call({ method, path: pathOf({ id }, rest), accessToken })
    .catch((cause: unknown) => {
      throw unavailable(`WhatsApp cannot be reached (${messageOf(cause)}). Try again later.`, {
        cause,
      });
    });
  const read = schema.safeParse(answer.status < 300 ? jsonOf(answer.body) : null);
  return read.success ? { kind: 'said', said: read.data } : refusalOf(answer, accessToken);
}

/** WhatsApp repeats a token that it cannot read, which is nobody's to see. */
function refusalOf(answer: Answer, accessToken: string): Refusal {
  const result = classify(answer);
  if (result.kind !== 'halted' && result.kind !== 'refused') {
    const code = result.kind === 'throttled' ? result.providerCode : null;
    const said =
      code === null ? `answers ${answer.status} and no more` : `cannot answer now (code ${code})`;
    throw unavailable(`WhatsApp ${said}. Try again later.`);
  }
  const wrong = result.kind === 'halted' && result.cause === 'disconnected' ? 'token' : 'id';
  const said = accessToken === '' ? result.message : result.message.replaceAll(accessToken, '…');
  return { kind: 'refused', wrong, message: said.replace(/\.$/, '') };
}
