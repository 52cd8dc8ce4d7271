import { setTimeout as sleep } from 'node:timers/promises';
import type { Wake } from '../../context.ts';
import type { Clock } from '../../db/clock.ts';
import { type Database, inWorkspace, ROW_BY_ROW } from '../../db/database.ts';
import { untilWritten } from '../../db/until-written.ts';
import { onBehalfOf, type Traceparent, traceparent } from '../../tracing/spans.ts';
import { type Settlement, settle } from './settling.ts';

interface SettlerParts {
  readonly database: Pick<Database, 'app'>;
  readonly clock: Clock;
  readonly token: string;
  readonly wake: Wake;
}

export interface Settler {
  /** Resolves once it is recorded, together with others that came at about the same time. */
  add(organizationId: string, settlement: Settlement): Promise<void>;
  written(): Promise<void>;
  readonly outcomes: Record<string, number>;
}

interface Entry {
  readonly settlement: Settlement;
  readonly trace: Traceparent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Short enough that the next message of a conversation hardly waits, long enough to write many together. */
const GATHER_MS = 10;

/**
 * Records outcomes in bulk, one statement at a time per workspace. While the database is down it keeps trying; an
 * answer not recorded within the lease is reported as `unconfirmed`.
 */
export function createSettler(parts: SettlerParts): Settler {
  const gathered = new Map<string, Entry[]>();
  const writing = new Map<string, Promise<void>>();
  const outcomes: Record<string, number> = {};

  async function write(organizationId: string): Promise<void> {
    await sleep(GATHER_MS);
    for (;;) {
      const entries = gathered.get(organizationId) ?? [];
      gathered.delete(organizationId);
      if (entries.length === 0) break;
      for (const [trace, own] of Map.groupBy(entries, (entry) => entry.trace))
        await onBehalfOf(trace, () => record(parts, organizationId, own)).then(
          () => {
            for (const { settlement, resolve } of own) {
              const { status } = settlement.outcome;
              outcomes[status] = (outcomes[status] ?? 0) + 1;
              resolve();
            }
          },
          (error: unknown) => {
            for (const { reject } of own) reject(error);
          },
        );
    }
    writing.delete(organizationId);
  }

  return {
    add: (organizationId, settlement) =>
      new Promise((resolve, reject) => {
        const entries = gathered.get(organizationId) ?? [];
        entries.push({ settlement, trace: traceparent(), resolve, reject });
        gathered.set(organizationId, entries);
        if (!writing.has(organizationId)) writing.set(organizationId, write(organizationId));
      }),
    written: async () => {
      while (writing.size > 0) await Promise.all(writing.values());
    },
    outcomes,
  };
}

async function record(
  { database, clock, token, wake }: SettlerParts,
  organizationId: string,
  entries: readonly Entry[],
): Promise<void> {
  const settlements = entries.map(({ settlement }) => settlement);
  const facts = await untilWritten(() => {
    const request = { organizationId, token, now: clock.now() };
    return inWorkspace(
      database,
      organizationId,
      (sql) => settle(sql, request, settlements),
      ROW_BY_ROW,
    );
  });
  if (facts > 0) void wake('events');
}
