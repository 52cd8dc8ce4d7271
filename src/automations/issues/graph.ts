import { CUSTOMER_SERVICE_WINDOW_MS } from '../../conversations/rules.ts';
import { DAY_MS } from '../../durations.ts';
import type { Definition, Step } from '../definition/language.ts';
import { AFTER_A_MESSAGE } from '../definition/triggers.ts';
import { AI_SILENCE_MS, durationMs } from '../rules.ts';

/** A way out of a step. */
export interface Exit {
  /** Its place in the step: `cases[0].next`. */
  readonly name: string;
  /** The step it leads to; null if the draft names none. */
  readonly to: string | null;
  /** Whether it may be left open, so that the run ends there. */
  readonly optional: boolean;
  /** A jump that is taken a limited number of times, so it cannot form an endless loop. */
  readonly bounded: boolean;
  /** When it is taken, the person has either just written, or this many milliseconds may have passed. */
  readonly after: 'reply' | number;
}

type Ends = Partial<Pick<Exit, 'optional' | 'bounded' | 'after'>>;

const exit = (name: string, to: string | null, ends: Ends = {}): Exit => ({
  name,
  to,
  optional: false,
  bounded: false,
  after: 0,
  ...ends,
});

const ms = (duration: string): number => durationMs(duration) ?? 0;

/** Every way out of a step, in the order in which the step names them; `end` and `handover` have none. */
export function exitsOf(step: Step): readonly Exit[] {
  switch (step.type) {
    case 'end':
    case 'handover':
      return [];
    case 'branch':
      return [
        ...step.cases.map((each, index) => exit(`cases[${index}].next`, each.next)),
        exit('else', step.else),
      ];
    case 'split':
      return step.branches.map((each, index) => exit(`branches[${index}].next`, each.next));
    case 'go_to':
      return [exit('to', step.to, { bounded: true }), exit('next', step.next)];
    default:
      return waitingExits(step);
  }
}

type Straight = Exclude<Step, { type: 'end' | 'handover' | 'branch' | 'split' | 'go_to' }>;

function waitingExits(step: Straight): Exit[] {
  switch (step.type) {
    case 'wait':
      return [exit('next', step.next, { after: waitMs(step) })];
    case 'wait_until': {
      const after = ms(step.timeout);
      return [exit('next', step.next, { after }), exit('on_timeout', step.on_timeout, { after })];
    }
    case 'wait_for_reply':
      return [
        exit('next', step.next, { after: 'reply' }),
        exit('on_timeout', step.on_timeout, { after: ms(step.timeout) }),
      ];
    case 'ask':
      return [
        exit('next', step.next, { after: 'reply' }),
        exit('on_invalid', step.on_invalid, { after: 'reply', optional: true }),
        exit('on_timeout', step.on_timeout, { after: ms(step.timeout) }),
      ];
    case 'ai_reply':
      return [
        exit('next', step.next, { after: AI_SILENCE_MS }),
        exit('on_handover', step.on_handover, { optional: true }),
      ];
    case 'http_request':
      return [exit('next', step.next), exit('on_error', step.on_error, { optional: true })];
    default:
      return [exit('next', step.next)];
  }
}

/** A time of day comes within a day; on chosen weekdays, within a week. */
function waitMs(step: Extract<Step, { type: 'wait' }>): number {
  if (step.duration !== null) return ms(step.duration);
  return step.weekdays.length > 0 ? 7 * DAY_MS : DAY_MS;
}

/** Whether a run stops here until time passes or the person writes. */
const waits = ({ type }: Step): boolean =>
  type === 'wait' || type === 'wait_until' || type === 'wait_for_reply' || type === 'ask';

/**
 * How many milliseconds later it sends free text, which WhatsApp accepts only within 24 hours of the person's last
 * message; null if it sends none.
 */
function writesAfter(step: Step): number | null {
  switch (step.type) {
    case 'send_message':
    case 'send_media':
    case 'ask':
    case 'ai_reply':
      return 0;
    case 'create_reminder':
      return ms(step.after) + (step.time === null ? 0 : DAY_MS);
    default:
      return null;
  }
}

/** The steps by id; of two with the same id, the first. */
export const stepsById = (steps: readonly Step[]): ReadonlyMap<string, Step> =>
  new Map(steps.toReversed().map((step) => [step.id, step]));

/** Steps that a run can reach, including `from`. */
export function reachable(
  steps: ReadonlyMap<string, Step>,
  from: readonly (string | null)[],
  follow: (step: Step) => readonly Exit[] = exitsOf,
): Set<string> {
  const seen = new Set<string>();
  const ahead = [...from];
  while (ahead.length > 0) {
    const id = ahead.pop() ?? null;
    const step = id === null || seen.has(id) ? undefined : steps.get(id);
    if (!step) continue;
    seen.add(step.id);
    ahead.push(...follow(step).map(({ to }) => to));
  }
  return seen;
}

/** The first step of each loop that a run could go through without ever waiting. */
export function loopsWithoutWait(definition: Definition): Step[] {
  const steps = stepsById(definition.steps);
  const endless = (step: Step): readonly Exit[] =>
    waits(step) ? [] : exitsOf(step).filter(({ bounded }) => !bounded);
  const ahead = new Map(
    [...steps.values()].map((step) => [
      step.id,
      reachable(
        steps,
        endless(step).map(({ to }) => to),
        endless,
      ),
    ]),
  );
  const told = new Set<string>();
  return definition.steps.filter(({ id }) => {
    const mine = ahead.get(id);
    if (!mine?.has(id) || told.has(id)) return false;
    for (const other of mine) if (ahead.get(other)?.has(id)) told.add(other);
    return true;
  });
}

/** Steps that send free text when the person may not have written for 24 hours. */
export function textsOutsideWindow({ trigger, steps }: Definition): Step[] {
  const byId = stepsById(steps);
  const first = steps[0];
  if (!first) return [];
  const silence = new Map([[first.id, AFTER_A_MESSAGE.has(trigger.type) ? 0 : Infinity]]);
  // A path visits each step at most once; anything that still grows after this many rounds is a loop.
  for (let round = 0; spread(byId, silence, round >= byId.size ? Infinity : 0); round += 1);
  return [...byId.values()].filter((step) => {
    const quiet = silence.get(step.id);
    const after = writesAfter(step);
    return quiet !== undefined && after !== null && quiet + after >= CUSTOMER_SERVICE_WINDOW_MS;
  });
}

/** Follows every exit once; returns whether it found a longer silence. */
function spread(
  steps: ReadonlyMap<string, Step>,
  silence: Map<string, number>,
  growth: number,
): boolean {
  const found = [...silence].flatMap(([id, quiet]) => {
    const step = steps.get(id);
    return step
      ? exitsOf(step).map(({ to, after }) => ({ to, by: silenceAfter(quiet, after) }))
      : [];
  });
  const longer = found.filter(({ to, by }) => {
    if (to === null || !steps.has(to)) return false;
    const known = silence.get(to);
    if (known !== undefined && known >= by) return false;
    silence.set(to, known === undefined ? by : by + growth);
    return true;
  });
  return longer.length > 0;
}

const silenceAfter = (quiet: number, after: Exit['after']): number =>
  after === 'reply' ? 0 : quiet + after;
