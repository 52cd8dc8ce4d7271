import type { z } from 'zod';
import { accountUpdate } from '../../gateway/cloud-api/account-wire.ts';
import { haltOf } from '../../gateway/cloud-api/classify.ts';
import {
  pairedSession,
  qualityUpdate,
  type webhookEnvelope,
} from '../../gateway/cloud-api/wire.ts';
import { HALTING, type NumberCause } from '../../numbers/states.ts';

type Said =
  | NumberCause
  | 'quality_green'
  | 'heartbeat'
  | 'closed'
  | 'ban_announced'
  | 'throughput_upgraded';

/** What a webhook says about a number, or about all numbers of a business account. */
export interface NumberNotice {
  readonly about: {
    /** WhatsApp's id of the number; null if it concerns an account. */
    readonly phoneNumberId: string | null;
    readonly businessAccountId: string | null;
    /** The single number of the account that is meant, in digits; null for all of them. */
    readonly phone: string | null;
  };
  readonly says: Said;
  /** A short code for people; null if the cause says it all. */
  readonly reason: string | null;
  /** When it happened; null if the webhook does not say. */
  readonly at: Date | null;
  /** When a restriction ends; null if it has no end. Missing where the webhook says nothing of it. */
  readonly until?: Date | null;
}

type Entry = z.infer<typeof webhookEnvelope>['entry'][number];
type Undated = Omit<NumberNotice, 'at'>;

/** What one entry of a webhook says, in order. Unknown shapes and events are ignored. */
export function noticesOf({ id, time, changes }: Entry, now: Date): NumberNotice[] {
  const at = time === undefined ? null : new Date(Math.min(time * 1_000, now.getTime()));
  return changes.flatMap(({ field, value }) =>
    (READERS[field]?.(value, id, now) ?? []).map((said) => ({ ...said, at })),
  );
}

/** WhatsApp itself only tells of the throughput any more; the simulator tells of the quality. */
const QUALITIES: Readonly<Record<string, Said>> = {
  FLAGGED: 'quality_red',
  UNFLAGGED: 'quality_green',
  THROUGHPUT_UPGRADE: 'throughput_upgraded',
};

/** Events of a paired number's device (design decisions §8). */
const SESSIONS: Readonly<Record<string, Said>> = {
  code: 'code_ready',
  paired: 'paired',
  codes_exhausted: 'codes_exhausted',
  heartbeat: 'heartbeat',
  closed: 'closed',
  opened: 'reconnected',
  logged_out: 'logged_out',
};

const ACCOUNTS: Readonly<Record<string, NumberCause>> = {
  ACCOUNT_DELETED: 'cannot_continue',
  ACCOUNT_OFFBOARDED: 'logged_out',
  ACCOUNT_RECONNECTED: 'reconnected',
  PARTNER_APP_UNINSTALLED: 'token_revoked',
  PARTNER_REMOVED: 'token_revoked',
};

/** Only restrictions on messaging stop the account's numbers. */
const RESTRICTING = /MESSAGING/;

type Reader = (value: unknown, account: string, now: Date) => Undated[];

const READERS: Readonly<Record<string, Reader>> = {
  phone_number_quality_update: (value, account) => {
    const read = qualityUpdate.safeParse(value).data;
    const says = read && QUALITIES[read.event];
    if (!says) return [];
    const phone = read.display_phone_number.replaceAll(/\D/g, '');
    // The simulator's numbers are known only by its id, which it shows in place of the phone.
    const about = { phoneNumberId: phone, businessAccountId: account, phone };
    return [{ about, says, reason: null }];
  },
  account_update: (value, account, now) => {
    const read = accountUpdate.safeParse(value).data;
    const said = read && accountSays(read, now);
    if (!said) return [];
    const businessAccountId = read.waba_info?.waba_id ?? account;
    const about = { phoneNumberId: null, businessAccountId, phone: null };
    return [{ about, ...said, reason: read.event.toLowerCase() }];
  },
  paired_session: (value) => {
    const read = pairedSession.safeParse(value).data;
    const says = read && SESSIONS[read.event];
    if (!says) return [];
    const phoneNumberId = read.metadata.phone_number_id;
    const about = { phoneNumberId, businessAccountId: null, phone: null };
    return [{ about, says, reason: null }];
  },
};

/** Until an announced ban holds, the account's numbers send as before. */
const BANS: Readonly<Record<string, Said>> = {
  SCHEDULE_FOR_DISABLE: 'ban_announced',
  REINSTATE: 'restriction_lifted',
};

type SaidUntil = Pick<NumberNotice, 'says' | 'until'>;

function accountSays(update: z.infer<typeof accountUpdate>, now: Date): SaidUntil | null {
  const { event, ban_info: ban, restriction_info: restrictions = [] } = update;
  if (event === 'DISABLED_UPDATE')
    return { says: BANS[ban?.waba_ban_state ?? ''] ?? 'restricted', until: null };
  if (event === 'ACCOUNT_RESTRICTION') return restriction(restrictions, now);
  const says = ACCOUNTS[event];
  return says ? { says } : null;
}

/** Those of messaging hold until the last one ends; what is over by now restricts nothing. */
function restriction(
  restrictions: NonNullable<z.infer<typeof accountUpdate>['restriction_info']>,
  now: Date,
): SaidUntil | null {
  const ends = restrictions
    .filter(({ restriction_type: type = '' }) => RESTRICTING.test(type))
    .map(({ expiration }) => endOf(expiration))
    .filter((end) => end === null || end > now.getTime());
  if (ends.length === 0) return null;
  const known = ends.filter((end) => end !== null);
  const until = known.length < ends.length ? null : new Date(Math.max(...known));
  return { says: 'restricted', until };
}

function endOf(expiration: number | string | undefined): number | null {
  if (expiration === undefined) return null;
  const seconds = Number(expiration);
  const end = Number.isNaN(seconds) ? Date.parse(String(expiration)) : seconds * 1_000;
  return Number.isNaN(new Date(end).getTime()) ? null : end;
}

/** Problems of a whole number that arrive among its messages: the codes that stop a sending number. */
export const noticesOfErrors = (reading: {
  readonly phoneNumberId: string;
  readonly numberErrors: readonly number[];
}): NumberNotice[] =>
  reading.numberErrors.flatMap((code) => {
    const halt = haltOf(code);
    if (halt === null || halt === 'spam_limit') return [];
    const about = { phoneNumberId: reading.phoneNumberId, businessAccountId: null, phone: null };
    return [{ about, says: HALTING[halt], reason: `whatsapp_${code}`, at: null }];
  });
