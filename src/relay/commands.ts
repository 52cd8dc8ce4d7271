import { forEachLimited } from '../concurrency.ts';
import { type Database, sqlOver } from '../db/database.ts';
import { oneByOne, type Sql } from '../db/sql.ts';
import { faultPoint } from '../fault-points.ts';
import type { Log } from '../log.ts';
import type { Commands, CommandType } from '../outbox/events.ts';
import { inSpan, type Traceparent } from '../tracing/spans.ts';
import type { RelayFigures } from './figures.ts';
import { createLoop, type Loop } from './loop.ts';
import { BY_ITSELF_MS, DUE_FIRST } from './polling.ts';
import { type Reaction, reactions } from './reactions.ts';
import type { TemporalCalls } from './temporal-calls.ts';

export interface CommandsParts {
  readonly database: Pick<Database, 'system'>;
  readonly token: string;
  readonly calls: TemporalCalls;
  readonly log: Log;
}

interface CommandRow {
  readonly organization_id: string;
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  readonly tries: number;
  readonly trace: Traceparent;
}

interface Command {
  readonly row: CommandRow;
  readonly reaction: Reaction;
}

const BATCH = 100;
/** While Temporal does not answer: enough commands to notice when it is back, without making others wait. */
const PROBE = 4;
const AT_ONCE = 32;
const POISON_TRIES = 3;
const RETRY_MS = 1_000;
const LATEST_RETRY_MS = 5_000;

// The last step goes through them one by one and stops at a full batch, so that only what is taken is locked.
const CLAIM = `
  update facts set lease_token = $1, not_before = now() + interval '15 seconds', tries = tries + 1
  where id = any(array(
    select f.id from (
      select id from (
        select id, not_before, row_number() over (partition by organization_id order by not_before, id) as turn from (
          select organization_id, id, not_before from facts
          where not is_event and dead_at is null and not_before <= now() order by not_before, id limit ${DUE_FIRST}) d) t
      order by turn, not_before, id offset 0) n
    cross join lateral (
      select id from facts
      where id = n.id and ${oneByOne('dead_at is null and not_before <= now()')} for update skip locked) f
    limit $2))
  returning organization_id, id, type, payload, tries, trace`;

const DONE = 'delete from facts where lease_token = $1 and id = any($2)';

const LATER = `
  update facts f set lease_token = null, not_before = now() + r.delay_ms * interval '1 millisecond', error = r.error,
    dead_at = case when r.dead then now() end
  from unnest($2::text[], $3::int[], $4::text[], $5::bool[]) as r (id, delay_ms, error, dead)
  where f.id = r.id and f.lease_token = $1`;

const RELEASE = `
  update facts set lease_token = null, not_before = now() where not is_event and dead_at is null and lease_token = any($1)`;

/** Commands that a dead process had taken become due at once. */
export const releaseCommandsOf = async (sql: Sql, tokens: readonly string[]): Promise<void> => {
  await sql.rows(RELEASE, [tokens], 'release-commands');
};

interface Later {
  readonly id: string;
  readonly delayMs: number;
  readonly error: string;
  readonly dead: boolean;
}

export interface CommandRound {
  readonly taken: number;
  /** Temporal did not answer, so the next round may wait. */
  readonly failed: number;
  /** Whether there may be more at once. */
  readonly more: boolean;
}

/** Turns commands into calls to Temporal; while it is down they wait. */
export function createCommandLoop(parts: CommandsParts, figures: RelayFigures): Loop {
  let away = false;
  return createLoop({
    name: 'the relay of commands',
    everyMs: BY_ITSELF_MS,
    log: parts.log,
    work: async () => {
      const { taken, failed, more } = await relayCommands(parts, away ? PROBE : BATCH);
      away = taken > 0 && failed === taken;
      figures.commandsDone += taken - failed;
      figures.commandsFailed += failed;
      if (failed > 0) throw new Error(`${failed} of ${taken} commands wait for Temporal`);
      return more;
    },
  });
}

/**
 * Takes commands under a lease, performs them, and deletes those that are done. Workspaces take turns, each with its
 * oldest.
 *
 * @param most how many at once
 */
export async function relayCommands(parts: CommandsParts, most = BATCH): Promise<CommandRound> {
  const { database, token } = parts;
  const sql = sqlOver(database.system);
  const rows = await sql.rows<CommandRow>(CLAIM, [token, most], 'claim-commands');
  if (rows.length === 0) return { taken: 0, failed: 0, more: false };
  faultPoint('before-dispatch');
  const done: string[] = [];
  const { commands, later } = understood(parts.log, rows);
  // Those of one workflow in order: a wake that overtakes its start would find no workflow, and the started one would
  // sleep on.
  const lines = Map.groupBy(commands, ({ reaction }) => reaction.workflowId);
  await forEachLimited(AT_ONCE, [...lines.values()], async (line) => {
    for (const [index, command] of line.entries()) {
      const problem = await performOne(parts, command);
      if (problem) {
        later.push(...line.slice(index).map(({ row }) => ({ ...problem, id: row.id })));
        return;
      }
      done.push(command.row.id);
    }
  });
  faultPoint('before-complete');
  // Two independent statements: a command whose result is not recorded is taken again when its lease ends.
  if (done.length > 0) await sql.rows(DONE, [token, done], 'commands-done');
  if (later.length > 0) await sql.rows(LATER, laterParams(token, later), 'commands-later');
  const failed = later.filter((command) => !command.dead).length;
  return { taken: rows.length, failed, more: rows.length === most };
}

/** Commands that this version understands, oldest first, and those it does not. */
function understood(log: Log, rows: readonly CommandRow[]) {
  const commands: Command[] = [];
  const later: Later[] = [];
  for (const row of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    try {
      commands.push({ row, reaction: reactionTo(row) });
    } catch (err) {
      const dead = row.tries >= POISON_TRIES;
      log.error({ command: row.id, type: row.type, err, dead }, 'a command cannot be understood');
      later.push({ id: row.id, delayMs: RETRY_MS, error: String(err), dead });
    }
  }
  return { commands, later };
}

function performOne({ calls, log }: CommandsParts, { row, reaction }: Command) {
  const span = {
    causes: [row.trace],
    kind: 'PRODUCER',
    attributes: { 'wms.fact': row.id },
  } as const;
  return inSpan(`relay ${row.type}`, span, async (): Promise<Later | null> => {
    try {
      await calls.perform(reaction);
      return null;
    } catch (err) {
      log.debug({ command: row.id, type: row.type, err }, 'a command could not be relayed yet');
      const delayMs = Math.min(LATEST_RETRY_MS, RETRY_MS * 2 ** (row.tries - 1));
      return { id: row.id, delayMs, error: String(err).slice(0, 500), dead: false };
    }
  });
}

function reactionTo(row: CommandRow): Reaction {
  if (!Object.hasOwn(reactions, row.type)) throw new TypeError(`no reaction to ${row.type}`);
  const react = reactions[row.type as CommandType] as (
    organizationId: string,
    payload: Commands[CommandType],
  ) => Reaction;
  return react(row.organization_id, JSON.parse(row.payload) as Commands[CommandType]);
}

const laterParams = (token: string, later: readonly Later[]): unknown[] => [
  token,
  later.map((command) => command.id),
  later.map((command) => command.delayMs),
  later.map((command) => command.error),
  later.map((command) => command.dead),
];
