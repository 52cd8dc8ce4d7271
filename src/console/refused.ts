import { AppError, type ErrorDetails, type FieldProblem } from '../errors.ts';
import type { FormBody } from '../http/body/form.ts';
import { toAppError } from '../http/failures.ts';
import type { Html } from '../pages/html.ts';
import { languageOf } from '../pages/language.ts';
import { seeOther } from '../people/session-cookie.ts';
import { type Action, type Fault, field, SHOWING_FIELD } from './page.ts';
import { problemText, refusalText } from './texts/refusals.ts';
import type { Visit } from './visit.ts';

/** What a page is shown with: what was sent and what is wrong with it, or what a form's action answers. */
export interface Asked {
  readonly sent: FormBody;
  readonly problems: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
  readonly answer: Html | null;
  readonly status?: number;
  /** A failure rather than an answer: the frame logs and counts it, and tells it by this page. */
  readonly failure?: AppError;
  /** Of the form that was sent, so that it is not done twice if it was done. */
  readonly showing?: string;
}

/** The field of `events[1]` is `events`. */
const fieldOf = (path: string): string => path.replace(/[[.].*$/s, '');

/** A visibility too narrow for one action leaves the page usable; a role without the permission does not. */
const fitsBesideForm = ({ status, details = {}, retryable }: AppError): boolean =>
  retryable || [409, 413, 415, 422].includes(status) || 'visibility' in details;

const isList = (details: ErrorDetails | undefined): details is readonly FieldProblem[] =>
  Array.isArray(details);

/** What is shown beside the form; a problem that cannot be fixed there gets its own page. */
export function refusalOf(
  thrown: unknown,
  { http, parts }: Visit,
  sent: FormBody,
  { problemsAt = {} }: Action,
): Asked | null {
  const error = toAppError(thrown);
  if (!fitsBesideForm(error)) return null;
  const lang = languageOf(http.get('accept-language'));
  const { code, details, status } = error;
  const faultAt = (path: string, text: string): Fault => {
    const at = fieldOf(path);
    return { path, field: problemsAt[at] ?? at, text };
  };
  const faults = isList(details)
    ? details.map((one) => faultAt(one.path, problemText(lang, one)))
    : [
        {
          ...faultAt(problemsAt[code] ?? '', refusalText(lang, error, parts.clock.now())),
          details: details ?? {},
        },
      ];
  // Of several at one field the first is said beside it.
  const problems = new Map(faults.toReversed().map((one) => [one.field, one.text]));
  const asked = { sent, problems, faults, answer: null, status };
  const isAnswer = error === thrown && !error.retryable;
  return isAnswer ? asked : { ...asked, failure: error, showing: field({ sent }, SHOWING_FIELD) };
}

/** The same page of the contact that this one was merged into; null where it was not. */
export function atSurvivor(visit: Visit, error: unknown): Visit | null {
  const { path, params } = visit;
  const { id } = params;
  // Of one that a field names the details tell it too, but that is the form's matter.
  if (!(error instanceof AppError) || error.code !== 'not_found' || isList(error.details))
    return null;
  const into = error.details?.['merged_into'];
  if (!id || typeof into !== 'string') return null;
  return { ...visit, path: path.replace(id, into), params: { ...params, id: into } };
}

/** Links to a contact stay good when it is merged into another one. */
export function goToSurvivor(visit: Visit, error: unknown): void {
  const survivor = atSurvivor(visit, error);
  if (!survivor) throw error;
  seeOther(visit.http, `/console/${visit.known.organizationId}${survivor.path}`);
}
