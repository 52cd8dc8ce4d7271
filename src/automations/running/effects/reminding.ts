import { Temporal } from 'temporal-polyfill';
import { LONGEST, truncate } from '../../../conversations/sending/lengths.ts';
import { AppError } from '../../../errors.ts';
import { isBlank } from '../../../http/fields.ts';
import { createReminder, newReminderOf } from '../../../reminders/service.ts';
import { durationMs } from '../../rules.ts';
import { zoneOf } from '../conditions/knowing.ts';
import { fill, subjectOf } from '../conditions/variables.ts';
import type { AtStep, Effects, Outcome, StepOf } from '../effect.ts';
import { contactOf } from '../saving.ts';
import { numberOfPlace, numberToSendOn } from '../talking/places.ts';
import { waitForNumber } from '../talking/saying.ts';
import { EMPTY_TEXT } from './talking.ts';

/** In code points. */
const LONGEST_TITLE = 120;

/** A run without a conversation waits until a number can send, because the reminder needs one; it still has none then. */
async function remind(at: AtStep<StepOf<'create_reminder'>>): Promise<Outcome> {
  const { tx, step } = at;
  const contact_id = contactOf(at);
  const time_zone = await zoneOf(tx, subjectOf(at));
  const number_id = await numberFor(at, contact_id);
  if (number_id === null) return waitForNumber(at);
  const text = truncate(withoutVariables(await fill(at, step.text)), LONGEST.text);
  if (isBlank(text)) return EMPTY_TEXT;
  const title = await fill(at, step.title);
  const body = newReminderOf({
    title: truncate(isBlank(title) ? text : title, LONGEST_TITLE),
    text,
    target: 'contact',
    contact_id,
    number_id,
    repeat: 'once',
    ...dueAt(step, tx.now, time_zone),
  });
  const { id } = await createReminder(tx, body).catch(tooMany);
  return { kind: 'next', to: step.next, output: { reminder_id: id } };
}

/** The author reads only the run's error, which must say what there are too many of. */
function tooMany(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'quota') throw error;
  const { limit } = error.details as { readonly limit: number };
  const message = `No reminder was created: the plan allows ${limit} active ones.`;
  throw new AppError('quota', message, error.details);
}

const numberFor = ({ tx, run }: AtStep, contactId: string): Promise<string | null> =>
  run.conversationId === null
    ? numberToSendOn(tx, contactId)
    : numberOfPlace(tx, run.conversationId);

/** A reminder fills in variables of its own: what a person wrote must not become one. */
const withoutVariables = (text: string): string => text.replace(/\{(?=\{)|\}(?=\})/g, '$& ');

/** A reminder outlives the run: the person gets it whatever happens to the automation. */
export const reminding = {
  create_reminder: { enter: remind, wake: remind },
} satisfies Effects;

type Due = { readonly date: string; readonly time: string; readonly time_zone: string };

/**
 * The day and time after this duration. With a time of day, at that time on the resulting day, or on the next one if
 * it has passed by then; without one, at the next full minute.
 */
export function dueAt(
  { after, time }: Pick<StepOf<'create_reminder'>, 'after' | 'time'>,
  now: Date,
  zone: string,
): Due {
  const reached = Temporal.Instant.fromEpochMilliseconds(now.getTime() + (durationMs(after) ?? 0));
  const local = reached.toZonedDateTimeISO(zone);
  if (time !== null) {
    const day = local.toPlainDate();
    const due = day.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(zone);
    const passed = Temporal.Instant.compare(due.toInstant(), reached) < 0;
    return { date: (passed ? day.add({ days: 1 }) : day).toString(), time, time_zone: zone };
  }
  const exact = local.round({ smallestUnit: 'minute', roundingMode: 'ceil' });
  const plain = exact.toPlainDateTime();
  // A reminder can only name the first occurrence of an hour that occurs twice; the second one is expressed in
  // another zone.
  const same = plain.toZonedDateTime(zone).epochMilliseconds === exact.epochMilliseconds;
  const said = same ? exact : exact.withTimeZone('UTC');
  return {
    date: said.toPlainDate().toString(),
    time: said.toPlainTime().toString({ smallestUnit: 'minute' }),
    time_zone: same ? zone : 'UTC',
  };
}
