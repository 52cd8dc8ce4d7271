import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosStage } from '../support/stage.ts';
import type { Crew } from './crew.ts';
import { diceOf } from './dice.ts';
import { type Doubts, leased, requestedSince } from './doubts.ts';
import type { Deed } from './report.ts';

/** When something is hurt. */
export interface Rhythm {
  /** Repeats what is hurt and when. */
  readonly seed: number;
  /** Milliseconds between two deeds, at least and at most. */
  readonly pauseMs: readonly [number, number];
  /** Asked before each deed. @param kills so many there were; a halt is none. */
  goesOn(kills: number): boolean;
}

/**
 * One part after the other, every few seconds.
 *
 * @param tell called after each deed with the kills so far.
 */
export async function hurtAll(
  { seed, pauseMs: [least, most], goesOn }: Rhythm,
  { stage, crew }: { stage: ChaosStage; crew: Crew },
  tell: (deed: Deed, kills: number) => void,
): Promise<{ readonly log: Deed[]; readonly doubtful: Doubts }> {
  const began = Date.now();
  const dice = diceOf(seed);
  const log: Deed[] = [];
  const doubtful = new Map<string, number>();
  for (let kills = 0; goesOn(kills); ) {
    await sleep(least + (most - least) * dice.roll());
    const since = Date.now();
    const before = await leased(stage);
    const hurt = await crew.hurt(dice);
    const now = new Date();
    const at = Math.round((+now - began) / 100) / 10;
    const deed = { at, time: now.toISOString(), ...hurt, ...(await goingOn(stage)) };
    log.push(deed);
    for (const id of await inDoubt(stage, deed.kind, before, since))
      doubtful.set(id, (doubtful.get(id) ?? 0) + 1);
    if (deed.kind !== 'halt') kills += 1;
    tell(deed, kills);
  }
  return { log, doubtful };
}

/** A statement that a worker had begun may end after its process stands still. */
const STATEMENT_MS = 100;
/**
 * What PostgreSQL said was done up to three `wal_writer_delay` before it is killed may be forgotten, where it was asked
 * not to wait for the disk: deliveries that were made, requested and written down in that time are made once more.
 */
const FORGOTTEN_MS = 600;

/**
 * Webhooks that may be requested once more because of it. Who dies with an API or Temporal requests none: an attempt
 * that Temporal has a worker repeat is on record by then, or still has its lease.
 */
async function inDoubt(
  stage: ChaosStage,
  kind: Deed['kind'],
  before: readonly string[],
  since: number,
): Promise<Set<string>> {
  if (kind === 'api' || kind === 'temporal') return new Set();
  const requested = kind === 'postgres' ? requestedSince(stage, since - FORGOTTEN_MS) : [];
  await sleep(STATEMENT_MS);
  return new Set([...before, ...requested, ...(await leased(stage))]);
}

const GOING_ON = `
select (select count(*)::int from messages m where m.direction = 'outbound' and m.status = 'sending' and m.campaign_id is null)
    + (select count(*)::int from campaign_recipients where status = 'sending') as "inFlight",
  (select count(*)::int from campaign_recipients where status in ('pending', 'sending')) as recipients,
  (select count(*)::int from facts where is_event)
    + (select count(*)::int from webhook_deliveries where finished_at is null) as events,
  (select count(*)::int from automation_runs where status in ('running', 'waiting'))
    + (select count(*)::int from automation_triggers) as runs,
  (select count(*)::int from reminder_runs where status = 'running') as reminders`;

/** As soon as PostgreSQL says so: it may be what was killed. */
export async function goingOn(
  stage: ChaosStage,
): Promise<Omit<Deed, 'at' | 'time' | 'kind' | 'part'>> {
  for (;;) {
    const [row] = await stage
      .rows<Omit<Deed, 'at' | 'time' | 'kind' | 'part'>>(GOING_ON)
      .catch(() => []);
    if (row) return row;
    await sleep(20);
  }
}
