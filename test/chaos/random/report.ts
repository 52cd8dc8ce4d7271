import os from 'node:os';
import { DEEDS, type DeedKind } from './crew.ts';
import type { LoadSizes } from './load.ts';
import type { Verdict } from './promises.ts';

/** Something that was hurt, and what was going on in that moment. */
export interface Deed {
  /** Seconds since the first part was hurt or might have been. */
  readonly at: number;
  /** The same, as a date and time. */
  readonly time: string;
  readonly kind: DeedKind;
  readonly part: string;
  /** Messages on their way to WhatsApp, of campaigns and others. */
  readonly inFlight: number;
  readonly recipients: number;
  readonly events: number;
  readonly runs: number;
  /** Runs of them. */
  readonly reminders: number;
}

export interface ChaosSizes extends LoadSizes {
  /** A worker that stands still for six seconds is no kill; it comes on top. */
  readonly kills: number;
  readonly seed: number;
}

/** What a play came to (docs/testing.md, "Kills by the hundred"). */
export interface Report {
  /** Whether every promise holds. */
  readonly holds: boolean;
  /** What to repeat it with, as `asked`. */
  readonly seed: number;
  readonly asked: ChaosSizes;
  /** What was hurt, by kind. */
  readonly deeds: Readonly<Record<DeedKind, number>>;
  /** Kills and halts while something of each kind was under way, and in how many nothing at all was. */
  readonly underWay: Readonly<
    Record<'recipients' | 'events' | 'runs' | 'reminders' | 'nothing', number>
  >;
  readonly seconds: Readonly<Record<'setUp' | 'kills' | 'rest' | 'all', number>>;
  /**
   * I1 to I10 as in docs/testing.md; `runs`: each says each thing exactly once; `days`: each reminder has one run, and each
   * of its people one message; `alone`: no process ends that nobody hurt. `broken` has up to twenty examples by how.
   *
   * I3: `beyond` are the requests more than are on record. Each webhook may have one for each kill or halt of a worker, and
   * each kill of PostgreSQL, while it was in flight (`inFlightAtKills`): taken, or answered and not written down yet. Of any
   * other, none. Attempts without an answer are counted by their error, and none of them may be `internal`.
   *
   * I5: `unconfirmedMessages` is compared with `inFlightAtKills`, the messages that were on their way when something was hurt,
   * read right after each deed.
   */
  readonly promises: readonly Verdict[];
  /** What was left over when everything should have come to rest, null where nothing was. */
  readonly unrest: string | null;
  readonly machine: Readonly<Record<string, string | number>>;
  /** The committed report (docs/chaos-report.json) is without it. */
  readonly log: readonly Deed[];
}

/** Messages on their way at all deeds together. Whoever sends asks nothing of an API that dies. */
export const inFlightOf = (log: readonly Deed[]): number =>
  log.filter(({ kind }) => kind !== 'api').reduce((sum, deed) => sum + deed.inFlight, 0);

/** So many of what breaks a promise are shown. */
const SHOWN = 20;

export function reportOf(
  asked: ChaosSizes,
  log: readonly Deed[],
  outcome: Pick<Report, 'promises' | 'unrest' | 'seconds'>,
): Report {
  const count = (of: (deed: Deed) => boolean): number => log.filter(of).length;
  const deeds = DEEDS.map((kind) => [kind, count((deed) => deed.kind === kind)]);
  return {
    holds: outcome.unrest === null && outcome.promises.every(({ holds }) => holds),
    seed: asked.seed,
    asked,
    deeds: Object.fromEntries(deeds) as Report['deeds'],
    underWay: {
      recipients: count(({ recipients }) => recipients > 0),
      events: count(({ events }) => events > 0),
      runs: count(({ runs }) => runs > 0),
      reminders: count(({ reminders }) => reminders > 0),
      nothing: count(
        ({ recipients, events, runs, reminders }) => recipients + events + runs + reminders === 0,
      ),
    },
    ...outcome,
    promises: outcome.promises.map((verdict) => ({ ...verdict, broken: fewOf(verdict.broken) })),
    machine: {
      cores: os.availableParallelism(),
      cpu: os.cpus()[0]?.model ?? '',
      memoryGb: Math.round(os.totalmem() / 2 ** 30),
      load: Math.round((os.loadavg()[0] ?? 0) * 10) / 10,
      node: process.version,
      platform: `${os.platform()} ${os.release().split('.', 2).join('.')}`,
    },
    log,
  };
}

const fewOf = (broken: Verdict['broken']): Verdict['broken'] =>
  Object.fromEntries(
    Object.entries(broken).map(([how, found]) => [
      how,
      found.length > SHOWN ? [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`] : found,
    ]),
  );

/** The report for people: one line for each promise, with what broke it. */
export function linesOf(report: Report): string[] {
  const deeds = Object.entries(report.deeds).map(([kind, n]) => `${kind} ${n}`);
  return [
    `seed ${report.seed}; hurt: ${deeds.join(', ')}; ${report.seconds.all} s`,
    ...report.promises.map(({ id, promise, holds, figures, broken }) => {
      const some = Object.entries(broken).filter(([, found]) => found.length > 0);
      const what = holds ? figures : Object.fromEntries(some);
      return `${holds ? 'holds ' : 'BROKEN'} ${id.padEnd(5)} ${promise}. ${JSON.stringify(what)}`;
    }),
    ...(report.unrest === null ? [] : [`BROKEN rest  ${report.unrest}`]),
  ];
}
