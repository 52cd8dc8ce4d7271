import { AppError, type FieldProblem, validation } from '../errors.ts';
import { decoded } from './urlencoded.ts';

/** As it was sent: each name once, and every value a text. */
export type RawQuery = Readonly<Record<string, string>>;

const EMPTY: RawQuery = Object.freeze({});

/** The parameters of a query string. 400 for a repeated one, broken percent-encoding or NUL. */
export function parseQuery(search: string): RawQuery {
  if (search === '') return EMPTY;
  const query: Record<string, string> = Object.create(null);
  const pairs = search.split('&').filter((pair) => pair !== '');
  for (const [name, value] of decoded(pairs, unreadable)) {
    if (name in query)
      throw new AppError('bad_request', `The parameter ${name} is given twice.`, { path: name });
    query[name] = value;
  }
  return query;
}

const unreadable = (): AppError =>
  new AppError('bad_request', 'The query string is not valid percent-encoded UTF-8.');

/** 422 for every parameter that the route does not know, because a typo must not silently disable a filter. */
export function refuseUnknown(query: RawQuery, known: readonly string[]): void {
  const problems: FieldProblem[] = Object.keys(query)
    .filter((name) => !known.includes(name))
    .map((name, i) => ({
      path: name,
      rule: 'unknown_parameter',
      message: 'There is no such parameter.',
      ...(i === 0 && known.length > 0 ? { allowed: known } : {}),
    }));
  if (problems.length > 0) throw validation(problems);
}
