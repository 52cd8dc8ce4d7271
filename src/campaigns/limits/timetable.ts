import { LEASE_AHEAD_MS } from '../../numbers/pacing.ts';
import type { WaitingFor } from '../rules.ts';
import { nextDay, type QuietHours, quietFrom, quietUntil } from './quiet-hours.ts';
import { warmUpCap } from './warm-up.ts';

/** What decides when each message of a campaign leaves. */
export interface TimetableInput {
  /** How many people get it, and how many of them the number has never exchanged messages with. */
  readonly count: number;
  readonly newPeople: number;
  /** Messages per minute; null if nothing limits it. */
  readonly perMinute: number | null;
  readonly startsAt: Date;
  readonly quiet: QuietHours | null;
  readonly days: DayLimits;
}

export interface DayLimits {
  readonly timeZone: string;
  /** Messages left today, and allowed on every other day; null for no limit. */
  readonly messages: { readonly today: number; readonly each: number } | null;
  /**
   * The number's day of warming up, and how many new people it may still write to on it; null for a number without a
   * warm-up.
   */
  readonly warmUp: { readonly day: number; readonly today: number } | null;
}

/** Evenly spaced messages, without a wait in between. */
interface TimetableSpan {
  readonly from: Date;
  readonly to: Date;
  readonly messages: number;
  /** What was waited for before it. */
  readonly after: WaitingFor | null;
}

export interface Timetable {
  readonly spans: readonly TimetableSpan[];
  /** When the number's daily limit pauses it, and how many are left then; null if it goes through. */
  readonly pausedBy: { readonly at: Date; readonly left: number } | null;
}

export const NO_LIMITS = { messages: null, warmUp: null } as const;

interface Walk {
  at: number;
  /** People the number knows, and new ones. The former never wait for another day. */
  known: number;
  fresh: number;
  messages: number;
  strangers: number;
  warmUpDay: number;
  metToday: boolean;
  dayEnds: number;
  after: WaitingFor | null;
}

/**
 * When the messages of a campaign leave, on a simulated clock: with the same slots, quiet hours and days as a real
 * run. Assumes that sends are answered at once, that no other campaign begins meanwhile, and that within a day people
 * the number knows come first.
 */
export function timetableOf(input: TimetableInput): Timetable {
  const spans: TimetableSpan[] = [];
  const walk = startOf(input);
  while (walk.known + walk.fresh > 0) {
    const quiet = quietUntil(input.quiet, new Date(walk.at + LEASE_AHEAD_MS));
    if (quiet) goOnAt(input, walk, quiet.getTime(), 'quiet_hours');
    else if (walk.messages === 0) {
      return { spans, pausedBy: { at: new Date(walk.at), left: walk.known + walk.fresh } };
    } else if (walk.known === 0 && walk.strangers === 0) {
      goOnAt(input, walk, walk.dayEnds, 'warm_up');
    } else spans.push(sendOn(input, walk));
  }
  return { spans, pausedBy: null };
}

/** When the last one leaves; null while that cannot be known. */
export const endOf = ({ spans, pausedBy }: Timetable): Date | null =>
  pausedBy ? null : (spans.at(-1)?.to ?? null);

function startOf({ count, newPeople, startsAt, days }: TimetableInput): Walk {
  const counts = days.messages !== null || days.warmUp !== null;
  return {
    at: startsAt.getTime(),
    known: count - newPeople,
    fresh: newPeople,
    messages: days.messages?.today ?? Number.POSITIVE_INFINITY,
    strangers: days.warmUp?.today ?? Number.POSITIVE_INFINITY,
    warmUpDay: days.warmUp?.day ?? 1,
    metToday: days.warmUp !== null && days.warmUp.today < warmUpCap(days.warmUp.day),
    dayEnds: counts ? nextDay(days.timeZone, startsAt).getTime() : Number.POSITIVE_INFINITY,
    after: null,
  };
}

function goOnAt(input: TimetableInput, walk: Walk, at: number, why: WaitingFor): void {
  walk.at = at;
  walk.after = why;
  turnDay(input, walk);
}

/** Another day has its own limits; the warm-up counts only days on which new people were written to. */
function turnDay({ days }: TimetableInput, walk: Walk): void {
  if (walk.at < walk.dayEnds) return;
  if (walk.metToday) walk.warmUpDay += 1;
  walk.metToday = false;
  walk.messages = days.messages?.each ?? Number.POSITIVE_INFINITY;
  walk.strangers = days.warmUp ? warmUpCap(walk.warmUpDay) : Number.POSITIVE_INFINITY;
  walk.dayEnds = nextDay(days.timeZone, new Date(walk.at)).getTime();
}

/** Sends as many as fit before the next quiet hours, the end of the day, or a limit. */
function sendOn(input: TimetableInput, walk: Walk): TimetableSpan {
  const intervalMs = input.perMinute === null ? 0 : 60_000 / input.perMinute;
  const closes = quietFrom(input.quiet, new Date(walk.at))?.getTime() ?? Number.POSITIVE_INFINITY;
  const until = Math.min(closes - LEASE_AHEAD_MS, walk.dayEnds);
  const fit =
    intervalMs === 0 ? Number.POSITIVE_INFINITY : Math.ceil((until - walk.at) / intervalMs);
  const possible = walk.known + Math.min(walk.fresh, walk.strangers);
  const messages = Math.max(1, Math.min(possible, walk.messages, fit));
  const span = {
    from: new Date(walk.at),
    to: new Date(walk.at + Math.ceil((messages - 1) * intervalMs)),
    messages,
    after: walk.after,
  };
  take(walk, messages);
  walk.at += messages * intervalMs;
  walk.after = null;
  turnDay(input, walk);
  return span;
}

function take(walk: Walk, messages: number): void {
  const known = Math.min(walk.known, messages);
  const fresh = messages - known;
  walk.known -= known;
  walk.fresh -= fresh;
  walk.strangers -= fresh;
  walk.messages -= messages;
  if (fresh > 0) walk.metToday = true;
}
