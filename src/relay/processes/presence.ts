import { randomInt } from 'node:crypto';
import { ConfigError } from '../../config.ts';
import { heldIn } from '../../db/advisory-locks.ts';
import type { Sql } from '../../db/sql.ts';
import { persistentConnection } from './persistent-connection.ts';

/** Shows other processes that this one is alive. */
export interface Presence {
  /** The token that this process writes on everything it takes. */
  readonly token: string;
  readonly ready: Promise<void>;
  /**
   * Shows which Temporal server this process uses.
   *
   * @param id of the namespace, which each server generates
   * @returns how many processes currently show a different one
   */
  showServer(id: string): Promise<number>;
  /** The other namespaces that relays of this database start workflows in at this moment. */
  otherNamespaces(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Relays look for missing relays only, and the listeners at an address (`wms listen`) for missing listeners only. */
const LOCK_SPACES = { relay: 7_261_003, listener: 7_261_007 } as const;
type Kind = keyof typeof LOCK_SPACES;
/** Shared by all relays that start workflows in the same Temporal namespace. */
const NAMESPACES = 7_261_008;
/** Shared by all whose namespace is also on the same server. */
const SERVERS = 7_261_009;

/**
 * An advisory lock held by a connection of its own. The kernel closes the connection with the process, so a killed
 * process is missed within one sweep instead of when its leases end.
 */
export function announcePresence(
  { url, namespace }: { readonly url: string; readonly namespace?: string },
  kind: Kind = 'relay',
): Presence {
  const key = randomInt(1, 2 ** 31 - 1);
  let server: string | undefined;
  const standing = persistentConnection({
    url,
    prepare: async (client) => {
      await client.query('select pg_advisory_lock($1::int, $2::int)', [LOCK_SPACES[kind], key]);
      if (namespace) {
        await client.query("select set_config('application_name', $1, false)", [namespace]);
        await client.query(SHOW, [NAMESPACES, namespace]);
      }
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
    async otherNamespaces() {
      const { client } = standing;
      if (!client || !namespace) return [];
      // Only the owner, as whom all relays connect, reads the names of their connections.
      await client.query('begin; set local role none');
      try {
        const { rows } = await client.query<{ name: string }>(NAMES, [NAMESPACES, namespace]);
        return rows.map(({ name }) => name);
      } finally {
        await client.query('commit');
      }
    },
    close: standing.close,
  };
}

const SHOW = 'select pg_advisory_lock_shared($1::int, hashtext($2))';
const HIDE = 'select pg_advisory_unlock_shared($1::int, hashtext($2))';
const OTHERS = `select count(*)::int as n ${heldIn('$1')} and objid <> hashtext($2)::oid`;

/** A name is cut to 63 bytes. */
const NAMES = `
select distinct application_name as name from pg_stat_activity
where pid in (select pid ${heldIn('$1')} and objid <> hashtext($2)::oid) order by 1`;

/**
 * With two namespaces for one database, each worker would miss the workflows that the other started, and start them
 * again. Throws a `ConfigError` while a worker with another namespace is present; call it once one's own is shown.
 */
export async function refuseOtherNamespace(
  sql: Sql,
  namespace: string,
  presence: Pick<Presence, 'otherNamespaces'>,
): Promise<void> {
  const [others] = await sql.rows<{ n: number }>(OTHERS, [NAMESPACES, namespace]);
  if (!others?.n) return;
  const names = (await presence.otherNamespaces()).map((name) => `"${name}"`).join(' and ');
  throw new ConfigError([
    `TEMPORAL_NAMESPACE is "${namespace}", and other workers of this database use ${names || 'another one'} ` +
      `(${others.n} at this moment). One database belongs to one namespace: set the same, or stop all workers before ` +
      'it changes (docs/operations.md, "Moving to another Temporal").',
  ]);
}

/** Which processes are present, asked once for several users. */
export interface PresenceCache {
  /** The tokens of those connected now. */
  ask(): Promise<Set<string>>;
  /** As found within this many milliseconds, or now. */
  lately(withinMs: number): Promise<Set<string>>;
  /** Whether who is absent may be taken for gone: after an outage of the database, everyone has a moment to come back. */
  readonly sure: boolean;
}

const COMING_BACK_MS = 3_000;

/** Asking costs a statement; callers that can use an older answer say how old. */
export function createPresenceCache(sql: Sql): PresenceCache {
  let found = new Set<string>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let blindUntil = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<Set<string>> => {
    const now = performance.now();
    found = await presentTokens(sql).catch((error: unknown) => {
      blindUntil = performance.now() + COMING_BACK_MS;
      throw error;
    });
    askedAt = now;
    return found;
  };
  return {
    ask,
    get sure() {
      return performance.now() >= blindUntil;
    },
    lately: async (withinMs) => (performance.now() - askedAt <= withinMs ? found : await ask()),
  };
}

const PRESENT = `select objid::text as token ${heldIn('$1')}`;

/** The tokens of processes whose connection is open right now. */
export async function presentTokens(sql: Sql, kind: Kind = 'relay'): Promise<Set<string>> {
  const rows = await sql.rows<{ token: string }>(PRESENT, [LOCK_SPACES[kind]], 'present-processes');
  return new Set(rows.map((row) => row.token));
}

/** How many workers are connected to this database. */
export const PRESENT_WORKERS = `select count(*)::int as n ${heldIn(String(LOCK_SPACES.relay))}`;

/** How many Temporal servers the workers of this database currently show: one, or none while no worker runs. */
export const SHOWN_SERVERS = `select count(distinct objid)::int as n ${heldIn(String(SERVERS))}`;
