import { changeNumber } from '../../campaigns/states/number-changes.ts';
import { phoneKey } from '../../contacts/identity/phones.ts';
import type { Context } from '../../context.ts';
import { first, type Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import type { Log } from '../../log.ts';
import { type HealthSignal, noteRestriction, noteSignal } from '../../numbers/health.ts';
import { lockNumber, pinNumber } from '../../numbers/known.ts';
import type { NumberCause } from '../../numbers/states.ts';
import { setThroughput } from '../../numbers/throughput.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { type NumberOwner, numbersOfAccount, ownersOf } from '../queries.ts';
import type { NumberNotice } from './number-notices.ts';

type Parts = InboundParts & { readonly log: Log };

/** Acts on what WhatsApp says about numbers themselves, in the order it came (design decisions §8). */
export async function applyNumberNotices(
  parts: Parts,
  systemSql: Sql,
  notices: readonly NumberNotice[],
): Promise<void> {
  for (const notice of notices) {
    for (const { organizationId, numberId } of await ownersIn(systemSql, notice)) {
      if (notice.says === 'ban_announced')
        parts.log.warn({ numberId }, 'WhatsApp will disable the account of a number');
      const ctx = asWhatsApp(parts, organizationId);
      await transact(ctx, (tx) => applyToNumber(tx, numberId, notice));
    }
  }
}

async function ownersIn(sql: Sql, { about }: NumberNotice): Promise<readonly NumberOwner[]> {
  const { phoneNumberId, businessAccountId } = about;
  const named = phoneNumberId === null ? [] : await ownersOf(sql, [phoneNumberId]);
  if (named.length > 0 || businessAccountId === null) return named;
  return numbersOfAccount(sql, businessAccountId);
}

async function applyToNumber(tx: Context, numberId: string, notice: NumberNotice): Promise<void> {
  if (!(await isMeant(tx, numberId, notice))) return;
  if (notice.says === 'throughput_upgraded') return upgrade(tx, numberId);
  const at = notice.at ?? tx.now;
  const sign = signOf(notice, at);
  if (sign) await pinNumber(tx, numberId);
  if (sign && !(await noteSignal(tx.sql, tx.organizationId, numberId, sign))) return;
  const cause = causeOf(notice);
  if (cause === null) return;
  const { reason } = notice;
  await changeNumber(tx, numberId, {
    cause,
    ...(reason === null ? {} : { reason }),
    ...(notice.at === null ? {} : { at: notice.at }),
  });
  // Once the number is locked, which is after its campaigns.
  if (cause === 'restricted' && notice.until !== undefined)
    await noteRestriction(tx.sql, tx.organizationId, numberId, notice.until);
}

/** What an account's webhook says about one phone does not concern its other numbers, as each workspace sees them. */
async function isMeant(
  { sql, organizationId }: Context,
  numberId: string,
  { about: { phone, phoneNumberId } }: NumberNotice,
): Promise<boolean> {
  if (phone === null) return true;
  const number = await first<{ id: string | null; phone: string | null }>(
    sql,
    'select phone_number_id as id, phone from numbers where organization_id = $1 and id = $2',
    [organizationId, numberId],
  );
  if (!number) return false;
  const { id, phone: known } = number;
  return id === phoneNumberId || (known !== null && phoneKey(known) === phoneKey(`+${phone}`));
}

async function upgrade(tx: Context, numberId: string): Promise<void> {
  const { provider } = await lockNumber(tx, numberId);
  if (provider === 'cloud_api') await setThroughput(tx, numberId, 'high');
}

function signOf({ says }: NumberNotice, at: Date): HealthSignal | null {
  if (says === 'quality_red') return { quality: 'red', qualityAt: at };
  if (says === 'quality_green') return { quality: 'green', qualityAt: at };
  if (says === 'closed') return { closedAt: at };
  return says === 'heartbeat' || says === 'paired' || says === 'reconnected'
    ? { heartbeatAt: at }
    : null;
}

/** A closed connection has two minutes to come back; a heartbeat restores a number that was closed. */
function causeOf({ says }: NumberNotice): NumberCause | null {
  switch (says) {
    case 'quality_green':
    case 'closed':
    case 'ban_announced':
    case 'throughput_upgraded':
      return null;
    default:
      return says === 'heartbeat' ? 'reconnected' : says;
  }
}
