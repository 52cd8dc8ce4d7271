import { first } from '../../../db/sql.ts';
import { conditionsIn } from '../../../segments/rules.ts';
import { durationMs } from '../../rules.ts';
import { holds, type Subject } from '../conditions/conditions.ts';
import { hoursEnd, zoneOf } from '../conditions/knowing.ts';
import { subjectOf } from '../conditions/variables.ts';
import type { AtStep, Effects, Outcome, StepOf } from '../effect.ts';
import { saidMeanwhile } from '../listening/replies.ts';
import { nextLocalTime } from '../local-time.ts';
import { drawnWay } from '../weighted-choice.ts';

/** Steps that decide what comes next, and when. */
export const flow = {
  wait: {
    isWhole: true,
    enter: async (at) => ({ kind: 'wait', for: 'time', until: await waitEnd(at) }),
    wake: ({ step }) => ({ kind: 'next', to: step.next }),
  },
  wait_until: {
    isWhole: true,
    enter: (at) => look(at, new Date(at.tx.now.getTime() + (durationMs(at.step.timeout) ?? 0))),
    wake: (at, wake) =>
      wake.by === 'timeout' ? tooLate(at) : look(at, at.run.waitUntil ?? at.tx.now),
  },
  branch: { isWhole: true, enter: async (at) => ({ kind: 'next', to: await firstThatHolds(at) }) },
  split: { isWhole: true, enter: (at) => ({ kind: 'next', to: drawn(at) }) },
  go_to: { isWhole: true, enter: jump },
  end: { isWhole: true, enter: () => ({ kind: 'end', status: 'succeeded' }) },
} satisfies Effects;

async function waitEnd({ tx, run, step }: AtStep<StepOf<'wait'>>): Promise<Date> {
  const { duration, until: time, weekdays } = step;
  if (time === null) return new Date(tx.now.getTime() + (durationMs(duration ?? '') ?? 0));
  const timeZone = await zoneOf(tx, subjectOf({ run }));
  return nextLocalTime({ time, weekdays, timeZone }, tx.now);
}

type Waiting = AtStep<StepOf<'wait_until'>>;

async function look(at: Waiting, until: Date): Promise<Outcome> {
  const { when, next: to } = at.step;
  if (await holds(at.tx, await subjectNow(at), when))
    return { kind: 'next', to, output: { timed_out: false } };
  const byClock = conditionsIn(when).some(({ field }) => field === 'now.in_hours');
  const lookAt = byClock ? await hoursEnd(at.tx, subjectOf(at)) : null;
  return {
    kind: 'wait',
    for: 'condition',
    until,
    ...(lookAt && lookAt < until ? { lookAt } : {}),
  };
}

/** Conditions on a message mean what the person writes meanwhile, although the run takes none of it as a reply. */
async function subjectNow(at: Waiting): Promise<Subject> {
  const subject = subjectOf(at);
  const ofMessage = conditionsIn(at.step.when).some(({ field }) => field.startsWith('message.'));
  return ofMessage
    ? { ...subject, messageId: (await saidMeanwhile(at)) ?? subject.messageId }
    : subject;
}

/** It may have become true since the last check. */
async function tooLate(at: Waiting): Promise<Outcome> {
  const outcome = await look(at, at.tx.now);
  if (outcome.kind !== 'wait') return outcome;
  return { kind: 'next', to: at.step.on_timeout, output: { timed_out: true } };
}

async function firstThatHolds(at: AtStep<StepOf<'branch'>>): Promise<string | null> {
  for (const { when, next } of at.step.cases)
    if (await holds(at.tx, subjectOf(at), when)) return next;
  return at.step.else;
}

/** Stable: the same contact always takes the same branch, in whatever run. */
const drawn = ({ run, step }: AtStep<StepOf<'split'>>): string | null =>
  drawnWay(step.branches, `${run.automationId} ${step.id} ${run.contactId ?? run.id}`);

async function jump({ tx, run, step }: AtStep<StepOf<'go_to'>>): Promise<Outcome> {
  const row = await first<{ times: number }>(
    tx.sql,
    'select count(*)::int as times from automation_run_steps where organization_id = $1 and run_id = $2 and step_id = $3',
    [tx.organizationId, run.id, step.id],
    'jumps-of-run',
  );
  return { kind: 'next', to: (row?.times ?? 0) < step.max_times ? step.to : step.next };
}
