import { type AiAnswer, saidBy } from '../../ai/answer.ts';
import type { FieldProblem } from '../../errors.ts';
import { outcomeOfAnswer, type SendOutcome } from '../../net/outcome.ts';
import type { Step } from '../definition/language.ts';
import type { GivenAnswer } from './schema.ts';

/** The answers of other servers, given by the caller: each is used once, the last one from then on. */
export function createAnswers(given: readonly GivenAnswer[]): (step: Step) => unknown {
  const left = Map.groupBy(given, ({ step_id }) => step_id);
  return (step) => {
    const answers = left.get(step.id) ?? [];
    const next = answers.length > 1 ? answers.shift() : answers[0];
    return step.type === 'ai_reply' ? aiAnswer(next) : httpAnswer(next);
  };
}

const NOT_ASKED: AiAnswer = {
  ok: true,
  text: '(Here the AI would answer.)',
  tool: null,
};

function aiAnswer(given: GivenAnswer | undefined): AiAnswer {
  if (given?.fails) return { ok: false, message: 'The AI failed, as the simulation says.' };
  if (given?.text === undefined && given?.tool === undefined) return NOT_ASKED;
  return saidBy(given.text ?? '', given.tool ?? null);
}

function httpAnswer(given: GivenAnswer | undefined): SendOutcome {
  if (given?.fails) {
    const nothing = { code: null, response: null, retryAfterMs: null, durationMs: 0 };
    return { kind: 'failed', error: 'timeout', ...nothing };
  }
  const kept = [Buffer.from(given?.body ?? '')];
  return outcomeOfAnswer({
    code: given?.status ?? 200,
    kept,
    retryAfter: undefined,
    durationMs: 0,
  });
}

/** What is answered by each type of step that asks another server. */
const ANSWERED: Readonly<Record<string, readonly string[]>> = {
  http_request: ['status', 'body'],
  ai_reply: ['text', 'tool'],
};

/** An answer that no step would ever be given is a mistake, and would leave the simulation without it. */
export const answerProblems = (
  given: readonly GivenAnswer[],
  steps: readonly Step[],
): FieldProblem[] =>
  given.flatMap(({ step_id, fails: _, ...answer }, index) => {
    const path = `answers[${index}]`;
    const type = steps.find(({ id }) => id === step_id)?.type ?? '';
    const own = ANSWERED[type];
    if (!own) {
      const message = `The draft has no step of this id that asks a server: ${Object.keys(ANSWERED).join(' or ')}.`;
      return [{ path: `${path}.step_id`, rule: 'unknown', message }];
    }
    return Object.keys(answer)
      .filter((field) => !own.includes(field))
      .map((field) => {
        const message = `${type} is answered by ${own.join(' and ')}.`;
        return { path: `${path}.${field}`, rule: 'not_applicable', message };
      });
  });
