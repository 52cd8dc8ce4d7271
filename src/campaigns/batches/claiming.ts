import { randomUUID } from 'node:crypto';
import { inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { type Slots, withSlots } from '../../numbers/pacer.ts';
import { countClaimed, countedFor, type DayRoom, roomToday } from '../limits/day-limits.ts';
import { type Claim, type ClaimRequest, claim, PLANNED_ONCE } from './claims.ts';
import type { SendingDeps } from './deps.ts';
import { claimGroups } from './group-claims.ts';
import type { Job } from './job.ts';
import type { Settlement } from './settling.ts';

/** `claimedAt` (`performance.now()`) is taken before the claim, so it is never later than the start of the lease. */
export type Paced = Claim & {
  readonly slots: Slots;
  readonly claimedAt: number;
  /** The remaining recipients get nothing more today. */
  readonly dayOver: DayOver | null;
  /** Milliseconds until one of the remaining recipients may get it today; 0 if that was not determined. */
  readonly backInMs: number;
};

/** A limit that a person set, or the warm-up of a paired number. */
export type DayOver = 'daily_limit' | 'warm_up';

interface Claiming {
  readonly deps: SendingDeps;
  readonly job: Job;
  readonly place: Place;
}

/** How far a batch has come in its audience, so that settled recipients are not read again for each claim. */
export interface Place {
  /** The last recipient examined; "" at the beginning. */
  after: string;
  /** `performance.now()` at which an earlier recipient becomes due again. */
  backAt: number;
  /** The last claim's; "" before the first. */
  token: string;
  /** The number's day that the last claim was for, if days are counted. */
  countedOn?: string;
}

/** Before the first recipient, with none that comes back. */
export const startPlace = (): Place => ({ ...FIRST, token: '' });

const FIRST = { after: '', backAt: Number.POSITIVE_INFINITY };

/** Recipients waiting for another try are looked for when the first of them is due, and when no others are left. */
export function noteGivenBack(place: Place, batch: readonly Settlement[]): void {
  for (const each of batch)
    if (each.status === 'pending')
      place.backAt = Math.min(place.backAt, performance.now() + each.delayMs);
}

/** Reserves the next recipients, as many as there are slots and as the daily limits allow. */
export async function claimNext(claiming: Claiming, limit: number): Promise<Paced> {
  const { deps, job, place } = claiming;
  place.token = randomUUID();
  const claimedAt = performance.now();
  return inWorkspace(
    deps.database,
    job.organizationId,
    async (sql) => {
      if (!job.paced) {
        const slots = { count: limit, firstInMs: 0, intervalMs: 0 };
        return { slots, claimedAt, ...(await claimToday(claiming, sql, limit)) };
      }
      const { slots, result } = await withSlots(sql, job.pace, limit, async ({ count }) => {
        const found = count > 0 ? await claimToday(claiming, sql, count) : NOBODY;
        return { used: found.claimed.length, result: found };
      });
      return { slots, claimedAt, ...result };
    },
    PLANNED_ONCE,
  );
}

type Today = Claim & Pick<Paced, 'dayOver' | 'backInMs'>;

const NOBODY: Today = { claimed: [], skipped: 0, through: null, dayOver: null, backInMs: 0 };

type Asked = Pick<ClaimRequest, 'limit' | 'knownOnly' | 'now'>;

async function ask({ job, place }: Claiming, sql: Sql, asked: Asked): Promise<Claim> {
  const request = { ...job, ...asked, token: place.token };
  if (job.toGroups) return claimGroups(sql, request);
  if (performance.now() >= place.backAt) Object.assign(place, FIRST);
  const { after } = place;
  const found = await claim(sql, { ...request, after });
  place.after = found.through ?? '';
  const nobody = found.claimed.length + found.skipped === 0;
  return nobody && after !== '' ? claim(sql, request) : found;
}

async function claimToday(claiming: Claiming, sql: Sql, limit: number): Promise<Today> {
  const { deps, job } = claiming;
  const now = deps.clock.now();
  const { limited } = job;
  if (!limited) return { ...NOBODY, ...(await ask(claiming, sql, { limit, now })) };
  const room = await roomToday(sql, limited, now);
  const strangers = job.toGroups ? null : room.newPeople;
  const knownOnly = strangers === 0;
  const most = Math.min(limit, room.messages ?? limit, strangers || limit);
  const found = most === 0 ? NOBODY : await ask(claiming, sql, { limit: most, knownOnly, now });
  const contacts = found.claimed.flatMap(({ contactId }) => contactId ?? []);
  const begun = found.claimed.length;
  const countedOn = await countClaimed(sql, limited, { begun, contacts }, now);
  // Before the commit: should its answer be lost, this is still known.
  claiming.place.countedOn = countedOn;
  const claimed = found.claimed.map((row) => ({ ...row, countedOn }));
  const nobody = begun + found.skipped === 0;
  return {
    ...NOBODY,
    ...found,
    claimed,
    ...(nobody ? await whyNobody(sql, job, room, knownOnly) : {}),
  };
}

/** The day is not over if no recipient is left, or if one that may get it today only waits for another try. */
async function whyNobody(
  sql: Sql,
  { organizationId, campaignId, numberId }: Job,
  room: DayRoom,
  knownOnly: boolean,
): Promise<Partial<Today>> {
  if (room.messages !== 0 && !knownOnly) return {};
  const left = await first<{ pending: number; back_ms: number | null }>(
    sql,
    `select count(*) as pending,
       (extract(epoch from min(coalesce(r.not_before, now())) filter (where ${countedFor('$3')}) - now()) * 1000)::float8 as back_ms
     from campaign_recipients r
     where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'pending'`,
    [organizationId, campaignId, numberId],
  );
  if (!left || left.pending === 0) return {};
  if (room.messages === 0) return { dayOver: 'daily_limit' };
  return left.back_ms === null ? { dayOver: 'warm_up' } : { backInMs: left.back_ms };
}
