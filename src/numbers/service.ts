import { randomInt } from 'node:crypto';
import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { system } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import { parsePhone, UNREADABLE_PHONE } from '../contacts/identity/phones.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, type FieldProblem, validation } from '../errors.ts';
import type { NumberHalt } from '../gateway/port.ts';
import { newId } from '../ids.ts';
import { recordNumberBack } from '../outbox/happenings.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { WhatsAppNumber } from './entities.ts';
import { moveNumber } from './moving.ts';
import { canSend, type Provider, THROUGHPUTS } from './rules.ts';
import { tokenPlace } from './sending.ts';
import { HALTING } from './states.ts';

/** Messages per minute that a number may send (design decisions §5); null for no limit. */
const CEILINGS = { cloud_api: THROUGHPUTS.standard, paired: 60, sandbox: null } as const;
const PHONE_NUMBER_ID_DIGITS = 15;
const MAX_NAME = 60;

export interface NewNumber {
  /** 1 to 60 characters. */
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  /** A paired number exists only in the simulator; it starts out waiting for its device. */
  readonly provider: Provider;
  /** WhatsApp's id of the number; made up for a sandbox number without one. */
  readonly phoneNumberId?: string;
  readonly businessAccountId?: string;
  /** Stored encrypted. */
  readonly accessToken?: string;
  /** Whether a sandbox number has the 24-hour window; a Cloud API number always has (design, detail 10). */
  readonly window?: boolean;
}

/** Adds a WhatsApp number. A Cloud API number without its id or an access token stays `provisioning`. */
export async function addNumber(
  ctx: Context,
  input: NewNumber,
  keyring: Keyring,
): Promise<WhatsAppNumber> {
  const { name, phone } = parseNumber(input);
  const { provider } = input;
  const phoneNumberId = input.phoneNumberId ?? (provider === 'cloud_api' ? null : inventedId());
  const complete = phoneNumberId !== null && input.accessToken !== undefined;
  const ready = provider === 'sandbox' || (provider === 'cloud_api' && complete);
  return transact(ctx, async (tx) => {
    await checkQuota(tx, 'numbers', () => countNumbers(tx));
    const id = newId('num');
    const number = tx.em.create(WhatsAppNumber, {
      id,
      organizationId: tx.organizationId,
      name,
      phone,
      provider,
      status: ready ? 'connected' : 'provisioning',
      statusReason: null,
      statusChangedAt: tx.now,
      downSince: ready ? null : tx.now,
      heldAt: null,
      phoneNumberId,
      businessAccountId: input.businessAccountId ?? null,
      accessToken:
        input.accessToken === undefined
          ? null
          : keyring.encrypt(input.accessToken, tokenPlace(tx.organizationId, id)),
      window24h: provider === 'cloud_api' || (provider === 'sandbox' && input.window === true),
      ceilingPerMinute: CEILINGS[provider],
      defaultTeamId: null,
      stageId: null,
      hours: null,
      createdAt: tx.now,
    });
    await flushKnown(tx);
    // A run may wait for any number of the workspace, so also for its first.
    if (canSend(number.status)) await recordNumberBack(tx, id);
    await audit(tx, {
      action: 'number.added',
      target: { type: 'number', id, name },
      changes: [
        { field: 'phone', from: null, to: phone },
        { field: 'provider', from: null, to: provider },
        { field: 'status', from: null, to: number.status },
      ],
    });
    return number;
  });
}

/** Why a number can no longer send. */
interface Outage {
  readonly status: NumberHalt;
  /** A short code such as `token_revoked`. */
  readonly reason: string;
}

/**
 * Marks a number as unable to send, in the caller's transaction, when WhatsApp or our own sending found out.
 *
 * @returns false for a number that was already down: it keeps its first reason.
 */
export async function markNumberUnavailable(
  { sql, organizationId, now }: Pick<Context, 'sql' | 'organizationId' | 'now'>,
  numberId: string,
  { status, reason }: Outage,
): Promise<boolean> {
  const tx = { sql, organizationId, now, actor: system('gateway'), request: null };
  return (await moveNumber(tx, numberId, { cause: HALTING[status], reason })) !== null;
}

async function countNumbers({ sql, organizationId }: Context): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    'select count(*) as used from numbers where organization_id = $1',
    [organizationId],
  );
  return row?.used ?? 0;
}

/** WhatsApp's ids are unique worldwide, so another workspace may have this one; the error says no more than that. */
export async function flushKnown(tx: Context): Promise<void> {
  try {
    await tx.em.flush();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    const message = 'A number with this phone_number_id is connected already.';
    throw new AppError('duplicate', message, undefined, { cause: error });
  }
}

/** What is wrong with an id of WhatsApp's; null if nothing is, or none is given. */
export const idProblem = (
  path: 'phone_number_id' | 'business_account_id',
  id: string | undefined,
): FieldProblem | null =>
  id === undefined || /^\d{1,30}$/.test(id)
    ? null
    : { path, rule: 'format', message: `A ${path} has digits only.` };

const inventedId = (): string =>
  Array.from({ length: PHONE_NUMBER_ID_DIGITS }, () => randomInt(1, 10)).join('');

/** The name, and the phone in E.164. Throws 422. */
export function parseNumber(input: NewNumber): { name: string; phone: string } {
  const problems: FieldProblem[] = [];
  const name = input.name.trim();
  if (name === '' || [...name].length > MAX_NAME) {
    const message = `Give a name of 1 to ${MAX_NAME} characters.`;
    problems.push({ path: 'name', rule: 'length', limit: MAX_NAME, message });
  }
  const phone = parsePhone(input.phone);
  if (!phone) problems.push(UNREADABLE_PHONE);
  const ids = [
    idProblem('phone_number_id', input.phoneNumberId),
    idProblem('business_account_id', input.businessAccountId),
  ];
  problems.push(...ids.filter((problem) => problem !== null));
  if (!phone || problems.length > 0) throw validation(problems);
  return { name, phone: phone.e164 };
}
