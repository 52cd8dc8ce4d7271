import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { Definition } from '../definition/language.ts';
import { findIssues, type Issue } from './issues.ts';
import { knownTo } from './known.ts';

/** Throws 422 `invalid_definition` with every error of the draft; `saying` is its message. */
export async function refuseErrors(
  tx: Context,
  draft: Definition,
  saying: (errors: readonly Issue[]) => string,
): Promise<void> {
  const found = findIssues(draft, await knownTo(tx, draft));
  const issues = found.filter(({ severity }) => severity === 'error');
  if (issues.length > 0) throw new AppError('invalid_definition', saying(issues), { issues });
}
