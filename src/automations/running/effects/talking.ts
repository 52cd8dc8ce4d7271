import { handOver } from '../../../conversations/assignment/handing-over.ts';
import { requireContent } from '../../../conversations/sending/checks.ts';
import { LONGEST, truncate } from '../../../conversations/sending/lengths.ts';
import { AppError } from '../../../errors.ts';
import { isBlank } from '../../../http/fields.ts';
import { reasonOf } from '../../contact-values.ts';
import { fill } from '../conditions/variables.ts';
import type { AtStep, Effect, Effects, Outcome, StepOf } from '../effect.ts';
import { isAnsweredByPerson, numberOfPlace, placeToTalk } from '../talking/places.ts';
import { type Failure, leftToPeople, type Said, type Saying, say } from '../talking/saying.ts';

const LONGEST_NOTE = 1_000;

type Sending = 'send_message' | 'send_media' | 'send_template';

/** A step that sends and continues. While its number is down it waits and checks again. */
function sending<S extends StepOf<Sending>>(send: (at: AtStep<S>) => Promise<Said>): Effect<S> {
  const attempt = async (at: AtStep<S>): Promise<Outcome> => {
    const said = await send(at);
    if (said.kind !== 'said') return said;
    return { kind: 'next', to: at.step.next, output: { message_id: said.messageId } };
  };
  return { enter: attempt, wake: attempt };
}

/** Steps that say something. */
export const talking = {
  send_message: {
    ...sending<StepOf<'send_message'>>(async (at) => sayText(at, await fill(at, at.step.text))),
    isWhole: true,
  },
  send_media: sending<StepOf<'send_media'>>(async (at) => {
    const { media_id: mediaId, text } = at.step;
    const caption = truncate(await fill(at, text), LONGEST.caption);
    return sayChecked(at, { mediaId, ...(isBlank(caption) ? {} : { text: caption }) });
  }),
  send_template: sending<StepOf<'send_template'>>(async (at) => {
    const { name, language } = at.step;
    const parameters: string[] = [];
    for (const each of at.step.parameters) parameters.push(oneLine(await fill(at, each)));
    const empty = parameters.findIndex(isBlank);
    if (empty >= 0) return failed(`Parameter ${empty + 1} of the template is empty.`);
    return sayChecked(at, { template: { name, language, parameters } });
  }),

  handover: { enter: giveToPeople },
} satisfies Effects;

/** A run that never got a conversation, because no number can send, has nothing to hand over. */
async function giveToPeople(at: AtStep<StepOf<'handover'>>): Promise<Outcome> {
  const { team_id: teamId, member_id: memberId } = at.step;
  const conversationId = await placeToTalk(at);
  if (conversationId === null || (await isAnsweredByPerson(at, conversationId)))
    return leftToPeople;
  const note = truncate(await fill(at, at.step.note), LONGEST_NOTE);
  const place = await handOver(at.tx, conversationId, { teamId, memberId, note });
  const output = { team_id: place.teamId, member_id: place.memberId };
  return { kind: 'end', status: 'handed_over', output };
}

/** Sends a text with variables filled in; one that shows as nothing is not sent. */
export const sayText = async (at: AtStep, text: string): Promise<Said> =>
  isBlank(text) ? EMPTY_TEXT : say(at, { text: truncate(text, LONGEST.text) });

const failed = (message: string): Failure => ({ kind: 'fail', code: 'send_failed', message });

export const EMPTY_TEXT = failed('The text is empty once it is filled in.');

/** WhatsApp accepts neither line breaks nor long gaps in a parameter. */
const oneLine = (text: string): string =>
  truncate(text.replace(/\s+/g, ' ').trim(), LONGEST.parameter);

/**
 * Checks that the file exists and the template is approved, because both may have changed since the automation was
 * written.
 */
async function sayChecked(at: AtStep, saying: Saying): Promise<Said> {
  const place = await placeToTalk(at);
  const numberId = place === null ? null : await numberOfPlace(at.tx, place);
  if (numberId !== null) {
    const problem = await problemWith(at, numberId, saying);
    if (problem !== null) return { kind: 'fail', code: 'definition_error', message: problem };
  }
  return say(at, saying);
}

async function problemWith(
  { tx }: AtStep,
  numberId: string,
  { mediaId: media_id, text, template }: Saying,
): Promise<string | null> {
  try {
    await requireContent(tx, { numberId }, { media_id, text, template });
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return reasonOf(error);
  }
}
