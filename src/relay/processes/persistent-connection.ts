import pg from 'pg';
import { PROBED } from '../../db/connections/settings.ts';

export interface PersistentConnection {
  /** The open connection, null while there is none. */
  readonly client: pg.Client | null;
  /** The backend process id of the connection, which identifies the sender of a notification. */
  readonly processId: number | null;
  /** The first attempt to connect is over, successful or not. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface PersistentConnectionOptions {
  readonly url: string;
  /** Runs on each new connection before it counts as open. */
  readonly prepare?: (client: pg.Client) => Promise<void>;
  readonly onNotification?: (message: pg.Notification) => void;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1_000;

/** A dedicated connection that is re-established whenever it is lost. */
export function persistentConnection(options: PersistentConnectionOptions): PersistentConnection {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let retryMs = FIRST_RETRY_MS;
  let connecting = connect();

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      connectionString: options.url,
      options: `-c role=wms_system ${PROBED}`,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: 5_000,
    });
    fresh.on('error', () => {});
    fresh.on('end', () => {
      if (client === fresh) client = null;
      again();
    });
    if (options.onNotification) fresh.on('notification', options.onNotification);
    try {
      await fresh.connect();
      await options.prepare?.(fresh);
    } catch {
      // Its end triggers the next attempt; a connection that never opened has no such event.
      await fresh.end().catch(() => {});
      again();
      return;
    }
    client = fresh;
    retryMs = FIRST_RETRY_MS;
  }

  function again(): void {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      connecting = connect();
    }, retryMs);
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
  }

  return {
    get client() {
      return client;
    },
    get processId() {
      // The driver has always kept it, but its types do not say so.
      return (client as { readonly processID?: number } | null)?.processID ?? null;
    },
    ready: connecting,
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
