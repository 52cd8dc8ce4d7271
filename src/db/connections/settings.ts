import type pg from 'pg';
import { unavailable } from '../../errors.ts';
import type { AnswerLimit } from './client.ts';

/** How much later than the server ends a statement its answer may come. */
const LATE_MS = 5_000;

/** @param statementMs the longest time of a statement; 0 for no limit */
export const answerWithin = (statementMs: number): AnswerLimit =>
  statementMs > 0 ? { answerMs: statementMs + LATE_MS } : {};

/**
 * After a failover an address may lead to the old server for a while, as a standby. A connection to it would be kept
 * for as long as it is used, and refuse every change.
 */
function refuseStandby(client: pg.ClientBase, done: (error?: Error) => void): void {
  client
    .query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    .then(
      ({ rows }) => (rows[0]?.standby ? done(unavailable('The database is a standby.')) : done()),
      done,
    );
}

/**
 * The settings of every pool. A machine that vanishes closes no connection: where nothing was asked, or the question
 * arrived, it is missed at the tenth probe of the operating system, one second each, and otherwise when an answer is
 * due. A question that was sent ahead then takes its connection with it.
 *
 * @param statementMs the longest time of a statement; 0 for no limit
 */
export const connectionSettings = (statementMs: number) => ({
  connectionTimeoutMillis: 3_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  /** A transaction's first statement does not wait for its `begin`. */
  pipeline: true,
  verify: refuseStandby,
  ...answerWithin(statementMs),
});

/** How long a transaction may wait for its process: one that hangs or vanished holds its locks no longer. */
const IDLE_MS = 30_000;

/** The server asks, too, whether an idle connection still has its other end: a machine that vanished is missed within 20 s. */
export const PROBED =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=5';

/**
 * What the server holds a connection to, as it is asked when the connection opens: a role, and limits of time.
 *
 * @param statementMs the longest time of a statement; 0 for no limit
 */
export const limitsOf = (role: string, statementMs: number): string =>
  `-c role=${role} -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=${IDLE_MS} ${PROBED}`;

/**
 * A plan made while a table was empty would scan it for ever, and every workspace passes for all of its table (migration
 * 0063), so that reading the others' rows too would seem to cost nothing. Overestimated like that, statements of milliseconds
 * would seem worth being compiled, which takes hundreds.
 */
export const BY_INDEXES = '-c enable_seqscan=off -c jit=off';
