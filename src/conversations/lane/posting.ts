import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, inWorkspace } from '../../db/database.ts';
import { actThenWrite } from '../../db/until-written.ts';
import { faultPoint } from '../../fault-points.ts';
import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../../gateway/cloud-api/classify.ts';
import type { Gateway } from '../../gateway/port.ts';
import type { Uploader } from '../../media/uploading.ts';
import { holdNumber, numberAnswered } from '../../numbers/pacer.ts';
import type { SendingNumber } from '../../numbers/sending.ts';
import { namesOf } from '../../templates/rules.ts';
import type { LoadedMessage } from './checking.ts';
import { type Judged, judge, type Outcome, retryOutcome, type Trouble } from './outcomes.ts';
import type { Places } from './places.ts';
import type { Checked, Ready } from './preparing.ts';

export interface PostingParts {
  readonly database: Pick<Database, 'app'>;
  readonly gateway: Gateway;
  /** WhatsApp refuses everything from this number, asked with this token. */
  readonly onHalt: (
    refused: {
      readonly organizationId: string;
      readonly numberId: string;
      readonly accessToken: string;
    },
    trouble: Extract<Trouble, { kind: 'halt' }>,
  ) => Promise<void>;
  /** WhatsApp refused the message because the person opted out there. */
  readonly onOptedOut: (
    organizationId: string,
    refused: { readonly contactId: string; readonly messageId: string },
  ) => Promise<void>;
  /** WhatsApp refused the message because it does not know the group. */
  readonly onGroupUnknown: (organizationId: string, messageId: string) => Promise<void>;
  /** The process ends: files that are being uploaded are left to another one. */
  readonly stopping?: AbortSignal | undefined;
}

/** Records a message's outcome. */
export type Written = (outcome: Outcome) => Promise<void>;

/** A message this late for its slot is not sent, because its lease may soon pass to another process. */
const LATEST_START_MS = 60_000;
/** Time for all processes to learn of the number's trouble. */
const REST_MS = 1_000;

/**
 * Asks WhatsApp once, at the message's slot.
 *
 * @param written records the outcome; what the answer means for the number is acted on only afterwards
 */
export async function post(
  parts: PostingParts,
  places: Places,
  ready: Ready,
  written: Written,
): Promise<void> {
  const { number, message, afterMs } = ready;
  const slot = performance.now() + afterMs;
  if (afterMs > 0) await sleep(afterMs);
  if (performance.now() - slot > LATEST_START_MS) return written(retryOutcome(0, false));
  faultPoint('after-reserve');
  const result = await parts.gateway.send(wordsOf(number, message));
  const wasTaken = result.kind === 'accepted' || result.kind === 'held';
  if (wasTaken) faultPoint('after-gateway-accept');
  await conclude(parts, places, ready, judge(result, message.attempts), written);
  if (number.probing && wasTaken) await answered(parts, ready);
}

/**
 * Brings a message's file to WhatsApp, in a place for uploads.
 *
 * @param written records the outcome, if there is no such place, or WhatsApp does not take the file
 * @returns whether WhatsApp has it now
 */
export async function uploadFile(
  parts: PostingParts & { readonly upload: Uploader; readonly onRoom: () => void },
  places: Places,
  checked: Checked,
  written: Written,
): Promise<boolean> {
  const { organizationId, number, message } = checked;
  const isReply = message.source === 'member';
  const waiting = { organizationId, numberId: number.id, messageId: message.id, isReply };
  const restMs = places.uploads.take(waiting);
  if (restMs > 0) {
    await written(retryOutcome(restMs, false));
    return false;
  }
  parts.onRoom();
  const result = await parts
    .upload(organizationId, number, message.mediaId ?? '')
    .finally(() => places.uploads.leave(message.id));
  if (result.kind === 'kept') return true;
  // Broken off by us, which says nothing about the message or the number.
  if (parts.stopping?.aborted) {
    await written(retryOutcome(0, false));
    return false;
  }
  await conclude(parts, places, checked, judge(result, message.attempts), written);
  return false;
}

async function conclude(
  parts: PostingParts,
  places: Places,
  checked: Checked,
  { outcome, trouble }: Judged,
  written: Written,
): Promise<void> {
  if (trouble) places.rest(checked.number.id, REST_MS);
  await actThenWrite(
    () => actOnAnswer(parts, checked, outcome),
    () => written(outcome),
  );
  if (trouble) await react(parts, places, checked, trouble);
}

/**
 * The answer to a send can say the same things as a later status report, with the same consequences (design decisions
 * §21 and §22). Safe to repeat.
 */
async function actOnAnswer(
  { onOptedOut, onGroupUnknown }: PostingParts,
  { organizationId, message: { id: messageId, contactId, isGroup } }: Checked,
  outcome: Outcome,
): Promise<void> {
  if (outcome.status !== 'failed') return;
  const code = outcome.error.provider_code;
  if (code === OPTED_OUT_CODE && contactId !== null)
    await onOptedOut(organizationId, { contactId, messageId });
  if (code === GROUP_UNKNOWN_CODE && isGroup) await onGroupUnknown(organizationId, messageId);
}

const placeOf = ({ organizationId, number }: Checked) => ({ organizationId, numberId: number.id });

const answered = ({ database }: PostingParts, ready: Ready): Promise<unknown> =>
  inWorkspace(database, ready.organizationId, (sql) => numberAnswered(sql, placeOf(ready)));

async function react(
  { database, onHalt }: PostingParts,
  places: Places,
  checked: Checked,
  trouble: Trouble,
): Promise<void> {
  const place = placeOf(checked);
  const { accessToken } = checked.number;
  if (trouble.kind === 'halt') return onHalt({ ...place, accessToken }, trouble);
  places.rest(place.numberId, trouble.retryAfterMs);
  await inWorkspace(database, place.organizationId, (sql) => holdNumber(sql, place, trouble));
}

function wordsOf({ phoneNumberId, accessToken }: SendingNumber, message: LoadedMessage) {
  const { mediaKind: kind, uploadedAs: providerId, mediaName: name } = message;
  return {
    phoneNumberId,
    accessToken,
    ...addressOf(message),
    text: message.text,
    template: message.template && {
      ...message.template,
      names: namesOf(message.templateParts ?? []),
    },
    media: kind && providerId ? { kind, providerId, name } : null,
    replyTo: message.replyTo,
    correlation: message.id,
  };
}

function addressOf({ groupId, to, toUserId }: LoadedMessage) {
  if (groupId !== null) return { to: groupId, toKind: 'group' } as const;
  return { to: to ?? '', toKind: toUserId ? 'user' : 'phone' } as const;
}
