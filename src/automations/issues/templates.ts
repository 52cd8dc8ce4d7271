import type { InWorkspace } from '../../context.ts';
import { templateProblems } from '../../templates/service.ts';
import type { Definition } from '../definition/language.ts';

/** A template that a step sends, and that not each of the numbers can send. */
export interface MissingTemplate {
  readonly stepId: string;
  /** `steps[3].name`. */
  readonly path: string;
  readonly message: string;
  /** No number can. */
  readonly everywhere: boolean;
}

/** Looks up the templates that a definition sends, through these numbers. */
export async function missingTemplates(
  ctx: InWorkspace,
  { steps }: Definition,
  numberIds: readonly string[],
): Promise<MissingTemplate[]> {
  const missing: MissingTemplate[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'send_template') continue;
    const judged = await templateProblems(ctx, numberIds, step);
    const found = [...judged.values()].filter((problem) => problem !== null);
    const [problem] = found;
    if (!problem) continue;
    const everywhere = found.length === numberIds.length;
    missing.push({
      stepId: step.id,
      path: `steps[${index}].name`,
      message: everywhere ? problem.message : `Not by every number: ${problem.message}`,
      everywhere,
    });
  }
  return missing;
}
