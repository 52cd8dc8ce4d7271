import pg from 'pg';
import { preparedName } from './prepared.ts';

/** How long an answer may take, in milliseconds; for ever, if that is left out. */
export interface AnswerLimit {
  readonly answerMs?: number;
}

type Question = pg.QueryConfig & AnswerLimit;
type Answered = (error: Error | null, result?: pg.QueryResult) => void;
type Ask = (question: Question, answered: Answered) => void;

/**
 * Every pool's connections.
 *
 * The driver makes a function for each question that it promises to answer, or to give up, and assigns it to a property.
 * V8 takes such functions for methods and puts them where it seldom collects, and with each of them its question and
 * answer, all of which it copies there (docs/measurements/even-pace.md). So promises and limits of time are made here.
 *
 * The ORM's query builder passes on texts without their names, which are restored here. Only named statements are
 * prepared, because those built from filters are as many as the filters.
 */
export class Client extends pg.Client {
  readonly #answerMs: number;

  constructor(settings: pg.ClientConfig & AnswerLimit = {}) {
    super(settings);
    this.#answerMs = settings.answerMs ?? 0;
  }

  // The overloads of `query` are the driver's, and what it runs by itself, such as a cursor, is passed through.
  override query = ((asked: unknown, ...rest: readonly unknown[]): unknown => {
    const ask = super.query.bind(this) as (...given: readonly unknown[]) => unknown;
    if (typeof asked === 'object' && asked !== null && 'submit' in asked)
      return ask(asked, ...rest);
    const question = questionOf(asked, rest);
    const answered = rest.find((one): one is Answered => typeof one === 'function');
    if (!answered) return this.#promised(ask, question);
    this.#ask(ask, question, answered);
    return;
  }) as pg.Client['query'];

  #ask(ask: Ask, question: Question, answered: Answered): void {
    const ms = question.answerMs ?? this.#answerMs;
    let due = true;
    const giveUp = (): void => {
      due = false;
      answered(new Error('Query read timeout'));
      // What was sent cannot be taken back, and whatever is asked next would wait behind it.
      this.connection.stream.destroy();
    };
    const timer = ms > 0 ? setTimeout(giveUp, ms) : undefined;
    ask(question, (error, result) => {
      clearTimeout(timer);
      if (due) answered(error, result);
    });
  }

  #promised(ask: Ask, question: Question): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      this.#ask(ask, question, (error, result) => (error ? reject(error) : resolve(result)));
    });
    return answer.catch((error: Error) => {
      // Its trace leads to the socket; it should lead to whoever asked.
      Error.captureStackTrace(error);
      throw error;
    });
  }
}

function questionOf(asked: unknown, [values]: readonly unknown[]): Question {
  const given = Array.isArray(values) ? { values } : {};
  if (typeof asked !== 'string') return { ...(asked as Question), ...given };
  const name = 'values' in given ? preparedName(asked) : undefined;
  return name === undefined ? { text: asked, ...given } : { name, text: asked, ...given };
}
