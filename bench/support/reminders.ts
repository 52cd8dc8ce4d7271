import type { Context } from '../../src/context.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { DAY_MS, MINUTE_MS } from '../../src/durations.ts';
import { addNumber } from '../../src/numbers/service.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { phoneOf } from './people.ts';

const AT_ONCE = 8;
/** Making one, and its workflow's first look, when nothing was made before: on the safe side. */
const FIRST_GUESS_MS = 25;

const fresh = (database: Database, { organizationId, actor }: Context): Context =>
  createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() });

export async function someNumbers(
  database: Database,
  ctx: Context,
  {
    count,
    ceiling,
    keys,
  }: { readonly count: number; readonly ceiling: number; readonly keys: string },
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const wishes = { name: 'Bench', phone: phoneOf(900_000 + n), provider: 'sandbox' } as const;
    const number = await addNumber(ctx, { ...wishes, accessToken: 'bench' }, createKeyring(keys));
    ids.push(number.id);
  }
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows('update numbers set ceiling_per_minute = $1', [ceiling]),
  );
  return ids;
}

interface Making {
  readonly numberIds: readonly string[];
  readonly count: number;
  /** Of the first phone: each reminder goes to another one. */
  readonly from: number;
  readonly due: Date;
}

/** Reminders of one minute, by the service's own function, eight at once. */
async function make(database: Database, ctx: Context, making: Making): Promise<void> {
  const { numberIds, count, from, due } = making;
  const when = { date: due.toISOString().slice(0, 10), time: due.toISOString().slice(11, 16) };
  let made = 0;
  const next = async (): Promise<void> => {
    for (let n = made++; n < count; n = made++) {
      const number_id = numberIds[n % numberIds.length];
      const whom = { target: 'phone', phone: phoneOf(from + n), number_id };
      const said = { title: 'Bench', text: 'Oi!', repeat: 'once', time_zone: 'UTC' };
      const body = newReminderBody.parse({ ...whom, ...said, ...when });
      await createReminder(fresh(database, ctx), body);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

export interface Sizes {
  /** Sleep through it all. */
  readonly asleep: number;
  /** Are due in one minute. */
  readonly reminders: number;
  /** How long they are watched asleep before. */
  readonly seconds: number;
}

const YEAR_MS = 365 * DAY_MS;

/**
 * Those that sleep, and those of the rush. `settled` resolves when the workflows of as many as were made sleep.
 *
 * @returns the minute of the rush
 */
export async function makeAll(
  database: Database,
  ctx: Context,
  sizes: Sizes & {
    readonly numberIds: readonly string[];
    readonly settled: (count: number) => Promise<void>;
  },
): Promise<Date> {
  const { asleep, reminders, seconds, numberIds, settled } = sizes;
  let eachMs = FIRST_GUESS_MS;
  if (asleep > 0) {
    const began = performance.now();
    const due = new Date(Date.now() + YEAR_MS);
    await make(database, ctx, { numberIds, count: asleep, from: reminders, due });
    await settled(asleep);
    eachMs = ((performance.now() - began) / asleep) * 1.3;
  }
  const restMs = (seconds + 5) * 1_000 + reminders * eachMs;
  const due = new Date(Math.ceil((Date.now() + restMs) / MINUTE_MS) * MINUTE_MS);
  await make(database, ctx, { numberIds, count: reminders, from: 0, due });
  await settled(asleep + reminders);
  return due;
}
