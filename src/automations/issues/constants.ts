import { variablesIn } from '../../contacts/variables.ts';
import { misfitOf } from '../contact-values.ts';
import type { Definition } from '../definition/language.ts';
import { blankIn } from './blanks.ts';

/** What a step would write, as it stands in the definition, into a field that cannot hold it. */
interface Misfit {
  readonly stepId: string;
  /** `steps[3].value`. */
  readonly path: string;
  readonly message: string;
}

/** Each would fail every run that comes to it. What a variable brings is known only then. */
export const misfitsOf = ({ steps }: Definition): Misfit[] =>
  steps.flatMap((step, index) => {
    if (step.type !== 'set_field' || variablesIn(String(step.value)).length > 0) return [];
    const message = blankIn(step) === null ? misfitOf(step.field, step.value) : null;
    return message === null ? [] : [{ stepId: step.id, path: `steps[${index}].value`, message }];
  });
