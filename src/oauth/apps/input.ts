import { nameProblems } from '../../access/names.ts';
import { isScope, SCOPE_NAMES, type Scope } from '../../access/scopes.ts';
import { type FieldProblem, validation } from '../../errors.ts';
import { MAX_REDIRECT_URIS, redirectUriProblem } from '../rules.ts';

export interface NewApp {
  /** 1 to 80 characters; people read it on the consent page. */
  readonly name: string;
  /** 1 to 10, each https, or http on a loopback host. */
  readonly redirectUris: readonly string[];
  /** At least one of the API's. */
  readonly scopes: readonly string[];
}

const MAX_NAME = 80;
const MAX_URI = 500;

/** Throws 422 with every problem found. */
export function checkApp(input: NewApp): { name: string; redirectUris: string[]; scopes: Scope[] } {
  const name = input.name.trim();
  const redirectUris = [...new Set(input.redirectUris.map((uri) => uri.trim()).filter(Boolean))];
  const scopes = [...new Set(input.scopes)].filter(isScope);
  const problems = [
    ...nameProblems(name, MAX_NAME),
    ...uriProblems(redirectUris),
    ...scopeProblems(input.scopes, scopes),
  ];
  if (problems.length > 0) throw validation(problems);
  return { name, redirectUris, scopes };
}

function uriProblems(uris: readonly string[]): FieldProblem[] {
  const path = 'redirect_uris';
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    return [
      {
        path,
        rule: 'items',
        limit: MAX_REDIRECT_URIS,
        message: `Give 1 to ${MAX_REDIRECT_URIS} redirect URIs.`,
      },
    ];
  return uris.flatMap((uri, i) => {
    const problem = uri.length > MAX_URI ? `is longer than ${MAX_URI}` : redirectUriProblem(uri);
    if (!problem) return [];
    const message = `${uri.slice(0, 100)} ${problem}.`;
    return [{ path: `${path}[${i}]`, rule: 'redirect_uri', which: [uri.slice(0, 100)], message }];
  });
}

function scopeProblems(asked: readonly string[], known: readonly Scope[]): FieldProblem[] {
  const unknown = asked.filter((scope) => !isScope(scope));
  if (unknown.length === 0 && known.length > 0) return [];
  const message =
    unknown.length > 0
      ? `There is no scope ${unknown.join(', ')}. There are: ${SCOPE_NAMES.join(', ')}.`
      : 'Give at least one scope.';
  return [{ path: 'scopes', rule: 'enum', allowed: SCOPE_NAMES, message }];
}
