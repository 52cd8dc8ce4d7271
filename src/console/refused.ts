import { AppError, type ErrorDetails, type FieldProblem } from '../errors.ts';
import type { FormBody } from '../http/body/form.ts';
import type { Html } from '../pages/html.ts';
import { languageOf } from '../pages/language.ts';
import { seeOther } from '../people/session-cookie.ts';
import type { Action, Fault } from './page.ts';
import { problemText, refusalText } from './texts/refusals.ts';
import type { Visit } from './visit.ts';

/** What a page is shown with: what was sent and what is wrong with it, or what a form's action answers. */
export interface Asked {
  readonly sent: FormBody;
  readonly problems: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
  readonly answer: Html | null;
  readonly status?: number;
}

/** The field of `events[1]` is `events`. */
const fieldOf = (path: string): string => path.replace(/[[.].*$/, '');

/** A visibility too narrow for one action leaves the page usable; a role without the permission does not. */
const fitsBesideForm = ({ status, details = {} }: AppError): boolean =>
  [409, 413, 415, 422].includes(status) || 'visibility' in details;

const isList = (details: ErrorDetails | undefined): details is readonly FieldProblem[] =>
  Array.isArray(details);

/** What is shown beside the form; a problem that cannot be fixed there gets its own page. */
export function refusalOf(
  error: unknown,
  { http, parts }: Visit,
  sent: FormBody,
  { problemsAt = {} }: Action,
): Asked | null {
  if (!(error instanceof AppError) || !fitsBesideForm(error)) return null;
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
  const problems = new Map(faults.toReversed().map((one) => [one.field, one.text]));
  return { sent, problems: new Map([...problems].toReversed()), faults, answer: null, status };
}

/** Links to a contact stay good when it is merged into another one. */
export function goToSurvivor({ http, known, path, params: { id } }: Visit, error: unknown): void {
  const details = error instanceof AppError && !isList(error.details) ? error.details : {};
  const into = details?.['merged_into'];
  if (!id || typeof into !== 'string') throw error;
  seeOther(http, `/console/${known.organizationId}${path.replace(id, into)}`);
}
