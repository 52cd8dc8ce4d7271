import { languageOf } from '../../../workspaces/service.ts';
import { durationMs } from '../../rules.ts';
import { fill } from '../conditions/variables.ts';
import type { AtStep, Effects, Outcome, Reply, StepOf } from '../effect.ts';
import { answerTo } from '../listening/answers.ts';
import { saveField } from '../saving.ts';
import { wouldHear } from '../talking/floor.ts';
import { sayText } from './talking.ts';

type AtQuestion = AtStep<StepOf<'ask'>>;
type AtListening = AtStep<StepOf<'wait_for_reply'>>;

const untilOf = ({ tx, step }: AtQuestion | AtListening): Date =>
  new Date(tx.now.getTime() + (durationMs(step.timeout) ?? 0));

/** Steps that wait for the person's answer. */
export const asking = {
  ask: {
    enter: (at) => askIfHeard(at, 1),
    wake: (at, wake) => {
      if (wake.by === 'reply') return hear(at, wake.message);
      // While it waits for its number, it waits for a condition.
      return at.run.waitsFor === 'condition' ? askIfHeard(at, triesOf(at)) : unanswered(at);
    },
  },
  wait_for_reply: {
    entersFreely: true,
    enter: (at) => ({ kind: 'wait', for: 'reply', until: untilOf(at) }),
    wake: async (at, wake) => {
      const { step } = at;
      if (wake.by !== 'reply') return unanswered(at);
      const { text } = wake.message;
      // A picture without words leaves the field unchanged.
      const field = text.trim() === '' ? null : step.save_to;
      const refusal = field === null ? null : await saveField(at, field, text);
      if (refusal !== null) return refusal;
      return { kind: 'next', to: step.next, output: { answer: text, timed_out: false } };
    },
  },
} satisfies Effects;

const unanswered = ({ step }: AtQuestion | AtListening): Outcome => ({
  kind: 'next',
  to: step.on_timeout,
  output: { timed_out: true },
});

/** How often the question was asked so far. */
const triesOf = ({ output }: AtQuestion): number =>
  typeof output['tries'] === 'number' ? output['tries'] : 1;

/** By the time its number is back, another run may listen. */
const askIfHeard = async (at: AtQuestion, tries: number): Promise<Outcome> =>
  (await wouldHear(at)) ? askOnce(at, tries) : unanswered(at);

/**
 * @param tries the number of this try
 */
async function askOnce(at: AtQuestion, tries: number): Promise<Outcome> {
  const { text, retry_text: again } = at.step;
  const said = await sayText(at, await fill(at, tries > 1 ? (again ?? text) : text));
  if (said.kind === 'fail' || said.kind === 'end') return said;
  const output = { tries };
  if (said.kind === 'wait') return { ...said, output };
  return {
    kind: 'wait',
    for: 'reply',
    until: untilOf(at),
    output: { ...output, message_id: said.messageId },
  };
}

async function hear(at: AtQuestion, { text }: Reply): Promise<Outcome> {
  const { step } = at;
  const answer = answerTo(step, text, await languageOf(at.tx));
  if (answer && (await keeps(at, answer.value)))
    return { kind: 'next', to: step.next, output: { answer: answer.text, timed_out: false } };
  const tries = triesOf(at);
  if (tries < step.tries) return askOnce(at, tries + 1);
  if (step.on_invalid === null) {
    const message = `No answer of ${tries} was what the question expects: ${step.expects}.`;
    return { kind: 'fail', code: 'invalid_answer', message };
  }
  return { kind: 'next', to: step.on_invalid, output: { answer: text, timed_out: false } };
}

/** An answer that its field cannot hold, such as a birthday in the future, does not fit either. */
const keeps = async (at: AtQuestion, value: string | number): Promise<boolean> =>
  at.step.save_to === null || (await saveField(at, at.step.save_to, value)) === null;
