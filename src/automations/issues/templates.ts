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
  const sent = steps.flatMap((step, index) =>
    step.type === 'send_template' ? [{ step, path: `steps[${index}].name` }] : [],
  );
  if (sent.length === 0) return [];
  const judged = await templateProblems(
    ctx,
    numberIds,
    sent.map(({ step }) => step),
  );
  return sent.flatMap(({ step, path }, index) => {
    const found = [...(judged[index]?.values() ?? [])].filter((problem) => problem !== null);
    const [problem] = found;
    if (!problem) return [];
    const everywhere = found.length === numberIds.length;
    const message = everywhere ? problem.message : `Not by every number: ${problem.message}`;
    return [{ stepId: step.id, path, message, everywhere }];
  });
}
