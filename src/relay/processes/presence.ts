import { randomInt } from 'node:crypto';
import { ConfigError } from '../../config.ts';
import type { Sql } from '../../db/sql.ts';
import { heldIn } from './advisory-locks.ts';
import { standingConnection } from './standing.ts';

/** Shows the other processes that this one lives. */
export interface Presence {
  /** What this process writes on everything it takes. */
  readonly token: string;
  readonly ready: Promise<void>;
  /**
   * Shows which Temporal server this process works with.
   *
   * @param id of the namespace: each server draws its own
   * @returns how many processes show another one at this moment
   */
  showServer(id: string): Promise<number>;
  close(): Promise<void>;
}

/** Relays miss one another, and so do the listeners at an address (`wms listen`): neither is looked for by the other. */
const LOCK_SPACES = { relay: 7_261_003, listener: 7_261_007 } as const;
type Kind = keyof typeof LOCK_SPACES;
/** Shared by all relays that start workflows in the same namespace of Temporal. */
const NAMESPACES = 7_261_008;
/** Shared by all whose namespace is also the same server's. */
const SERVERS = 7_261_009;

/**
 * An advisory lock held by a connection of its own: the kernel closes that connection with the
 * process, so a killed one is missed within a sweep instead of when its leases run out.
 */
export function announcePresence(
  { url, namespace }: { readonly url: string; readonly namespace?: string },
  kind: Kind = 'relay',
): Presence {
  const key = randomInt(1, 2 ** 31 - 1);
  let server: string | undefined;
  const standing = standingConnection({
    url,
    prepare: async (client) => {
      await client.query('select pg_advisory_lock($1::int, $2::int)', [LOCK_SPACES[kind], key]);
      if (namespace) await client.query(SHOW, [NAMESPACES, namespace]);
      if (server) await client.query(SHOW, [SERVERS, server]);
    },
  });
  return {
    token: String(key),
    ready: standing.ready,
    async showServer(id) {
      const { client } = standing;
      const before = server;
      server = id;
      if (!client) return 0;
      if (before !== id) {
        await client.query(SHOW, [SERVERS, id]);
        if (before) await client.query(HIDE, [SERVERS, before]);
      }
      const { rows } = await client.query<{ n: number }>(OTHERS, [SERVERS, id]);
      return rows[0]?.n ?? 0;
    },
    close: standing.close,
  };
}

const SHOW = 'select pg_advisory_lock_shared($1::int, hashtext($2))';
const HIDE = 'select pg_advisory_unlock_shared($1::int, hashtext($2))';
const OTHERS = `select count(*)::int as n ${heldIn('$1')} and objid <> hashtext($2)::oid`;

/**
 * Two namespaces around one database: each worker would miss the workflows that the other one started, and start them
 * again. Throws a `ConfigError` while a worker with another one is present; to be asked when one's own is shown.
 */
export async function refuseOtherNamespace(sql: Sql, namespace: string): Promise<void> {
  const [others] = await sql.rows<{ n: number }>(OTHERS, [NAMESPACES, namespace]);
  if (!others?.n) return;
  throw new ConfigError([
    `TEMPORAL_NAMESPACE is "${namespace}", and other workers of this database use another one (${others.n} at this ` +
      'moment). One database belongs to one namespace: set the same, or stop all workers before it changes.',
  ]);
}

/** Who is there, asked once for several who want to know. */
export interface Attendance {
  /** The tokens of those that are connected now. */
  ask(): Promise<Set<string>>;
  /** As somebody found within the last so many milliseconds, or now. */
  lately(withinMs: number): Promise<Set<string>>;
}

/** Asking costs one statement; whoever can do with an older answer says how old. */
export function takeAttendance(sql: Sql): Attendance {
  let found = new Set<string>();
  let askedAt = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<Set<string>> => {
    const now = performance.now();
    found = await presentTokens(sql);
    askedAt = now;
    return found;
  };
  return {
    ask,
    lately: async (withinMs) => (performance.now() - askedAt <= withinMs ? found : await ask()),
  };
}

const PRESENT = `select objid::text as token ${heldIn('$1')}`;

/** Of the processes whose connection is open at this moment. */
export async function presentTokens(sql: Sql, kind: Kind = 'relay'): Promise<Set<string>> {
  const rows = await sql.rows<{ token: string }>(PRESENT, [LOCK_SPACES[kind]], 'present-processes');
  return new Set(rows.map((row) => row.token));
}

/** How many Temporal servers the workers of this database show at this moment: one, or none while no worker runs. */
export const SHOWN_SERVERS = `select count(distinct objid)::int as n ${heldIn(String(SERVERS))}`;
