import { AppError, type FieldProblem, validation } from '../errors.ts';

/** As it was sent: each name once, and every value a text. */
export type RawQuery = Readonly<Record<string, string>>;

const EMPTY: RawQuery = Object.freeze({});

/** The parameters of a query string. 400 for a repeated one, broken percent-encoding or NUL. */
export function parseQuery(search: string): RawQuery {
  if (search === '') return EMPTY;
  const query: Record<string, string> = Object.create(null);
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    if (name in query)
      throw new AppError('bad_request', `The parameter ${name} is given twice.`, { path: name });
    query[name] = at === -1 ? '' : decode(pair.slice(at + 1));
  }
  return query;
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // Answered below: both mean a query that cannot be read.
  }
  throw new AppError('bad_request', 'The query string is not valid percent-encoded UTF-8.');
}

/** 422 for every parameter that the route does not know, because a typo must not silently disable a filter. */
export function refuseUnknown(query: RawQuery, known: (name: string) => boolean): void {
  const problems: FieldProblem[] = Object.keys(query)
    .filter((name) => !known(name))
    .map((name) => ({
      path: name,
      rule: 'unknown_parameter',
      message: 'There is no such parameter.',
    }));
  if (problems.length > 0) throw validation(problems);
}
