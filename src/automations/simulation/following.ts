import type { Context } from '../../context.ts';
import { settle } from '../../conversations/lane/settling.ts';
import { durationMs } from '../rules.ts';
import type { Move } from '../running/moves.ts';
import { takeAnswer, takeStep } from '../running/step.ts';
import { conversationOfRun, numberOfPlace } from '../running/talking/places.ts';
import { LOOK_EVERY_MS } from '../running/watching.ts';
import { createAnswers } from './answers.ts';
import type { SimulationInput, STOPPED_BY } from './schema.ts';
import { IN_THEIR_TALKS, says, type World } from './world.ts';

/** The course of a run, in addition to its rows. */
export interface Followed {
  readonly stoppedBy: (typeof STOPPED_BY)[number] | null;
  readonly unheardReplies: number;
  /** The step during which each message was written, by the message's id. */
  readonly during: ReadonlyMap<string, number>;
}

const MOST_STEPS = 200;
/** A simulation holds a connection, so its length is limited. */
const MOST_LOOKS = 600;
/** After a day of looking as often as a run that waits for a condition, it looks this many more times until its end. */
const OFTEN = 96;
const LATER = 100;

interface Reply {
  readonly at: Date;
  readonly text: string;
}

/** Takes the steps of the run; whenever it waits, moves the virtual clock to what comes next. */
export async function follow(tx: Context, world: World, input: SimulationInput): Promise<Followed> {
  const replies = repliesOf(input, tx.now);
  const answer = createAnswers(input.answers);
  const during = new Map<string, number>();
  const timer = createTimer();
  let now = tx.now;
  let steps = 0;
  let looks = 0;
  let move: Move = { kind: 'on' };
  const over = (): Followed['stoppedBy'] => {
    if (steps >= MOST_STEPS) return 'steps';
    return looks >= MOST_LOOKS ? 'looks' : null;
  };
  while (move.kind !== 'over') {
    // The answer to a call belongs to the step that made it.
    const stoppedBy = move.kind === 'call' ? null : over();
    if (stoppedBy) return { stoppedBy, unheardReplies: replies.length, during };
    if (move.kind === 'wait') {
      await leave({ ...tx, now }, world);
      now = await goOn({ ...tx, now }, world, replies, timer(move, now));
      looks += 1;
    } else if (move.kind === 'on') steps += 1;
    const at = { ...tx, now };
    move =
      move.kind === 'call'
        ? await takeAnswer(at, move.call, answer(move.call.step), 'workflow')
        : await takeStep(at, world.runId, 'workflow');
    await remember(at, world, during);
  }
  return { stoppedBy: null, unheardReplies: replies.length, during };
}

const repliesOf = ({ replies }: SimulationInput, start: Date): Reply[] =>
  replies
    .map(({ after, text }) => ({
      at: new Date(start.getTime() + (durationMs(after) ?? 0)),
      text,
    }))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());

type Wait = Move & { readonly kind: 'wait' };

/** When each kind of wait is checked next. */
function createTimer(): (wait: Wait, now: Date) => Date {
  let until = 0;
  let looks = 0;
  let everyMs = LOOK_EVERY_MS;
  return (wait, now) => {
    if (wait.for === 'nothing') return now;
    looks = wait.until.getTime() === until ? looks + 1 : 0;
    until = wait.until.getTime();
    const leftMs = Math.max(0, until - now.getTime());
    if (looks < OFTEN) everyMs = LOOK_EVERY_MS;
    if (looks === OFTEN) everyMs = Math.max(LOOK_EVERY_MS, leftMs / LATER);
    return new Date(
      now.getTime() + (wait.for === 'condition' ? Math.min(leftMs, everyMs) : leftMs),
    );
  };
}

/** Moves on to the next reply or to `next`, whichever comes first; returns that moment. */
async function goOn(tx: Context, world: World, replies: Reply[], next: Date): Promise<Date> {
  const reply = replies[0];
  if (!reply || reply.at > next) return next;
  replies.shift();
  // A person who writes while a step is taken has written when it is done.
  const now = new Date(Math.max(reply.at.getTime(), tx.now.getTime()));
  const place = { ...world, numberId: await numberNow(tx, world) };
  await says({ ...tx, now }, place, reply.text, 'reply');
  return now;
}

/** On which the run talks to the person, or else the one on which they would write first. */
async function numberNow(tx: Context, { runId, numberId }: World): Promise<string> {
  const conversationId = await conversationOfRun(tx, runId);
  return (conversationId && (await numberOfPlace(tx, conversationId))) || numberId;
}

const QUEUED = `
select m.id from messages m
where m.organization_id = $1 and ${IN_THEIR_TALKS} and m.run_id = $3 and m.status = 'queued' order by m.id`;

/** What was queued has left by the time that the run waits for. */
async function leave(
  { sql, organizationId, now }: Context,
  { runId, person }: World,
): Promise<void> {
  const queued = await sql.rows<{ id: string }>(QUEUED, [organizationId, person.id, runId]);
  const sent = queued.map(({ id: messageId }) => ({
    messageId,
    outcome: { status: 'sent', providerId: `simulated.${messageId}` } as const,
  }));
  if (sent.length > 0) await settle(sql, { organizationId, token: runId, now }, sent);
}

const NEW_MESSAGES = `
select m.id, (select r.steps_taken from automation_runs r where r.organization_id = $1 and r.id = $3) as seq
from messages m where m.organization_id = $1 and ${IN_THEIR_TALKS} and m.run_id = $3 and m.id > $4 order by m.id`;

async function remember(
  { sql, organizationId }: Context,
  { runId, person }: World,
  during: Map<string, number>,
): Promise<void> {
  const last = [...during.keys()].at(-1) ?? '';
  const params = [organizationId, person.id, runId, last];
  const rows = await sql.rows<{ id: string; seq: number }>(NEW_MESSAGES, params);
  for (const { id, seq } of rows) during.set(id, seq);
}
