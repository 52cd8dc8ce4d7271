import { variableProblems } from '../../conversations/sending/personal-text.ts';
import type { FieldProblem } from '../../errors.ts';
import type { CampaignTarget } from '../rules.ts';
import type { CampaignInput } from './input.ts';

/** The fields that each target needs; the stages of a pipeline are optional. */
const NAMED_BY = {
  segment: 'segment_id',
  contacts: 'contact_ids',
  groups: 'group_ids',
  pipeline: 'pipeline_id',
} as const satisfies Record<CampaignTarget, keyof CampaignInput>;

const FIELDS = ['segment_id', 'contact_ids', 'group_ids', 'pipeline_id', 'stage_ids'] as const;

type Target = Required<Pick<CampaignInput, 'target' | (typeof FIELDS)[number]>>;

/** A target takes its own fields and no others. */
export function targetProblems(input: Target): FieldProblem[] {
  const own = NAMED_BY[input.target];
  const problems: FieldProblem[] = isEmpty(input[own]) ? [missing(own)] : [];
  for (const path of FIELDS) {
    const belongs = path === own || (path === 'stage_ids' && input.target === 'pipeline');
    if (belongs || isEmpty(input[path])) continue;
    problems.push({ path, rule: 'not_applicable', message: 'Must be empty for this target.' });
  }
  return problems;
}

const isEmpty = (value: string | null | readonly string[]): boolean =>
  value === null || value.length === 0;

function missing(path: (typeof NAMED_BY)[CampaignTarget]): FieldProblem {
  if (path === 'segment_id' || path === 'pipeline_id') {
    return { path, rule: 'required', message: 'This field is required for this target.' };
  }
  const message = `Give at least one ${path === 'contact_ids' ? 'contact' : 'group'}.`;
  return { path, rule: 'min_items', limit: 1, message };
}

export const contentProblems = ({
  text,
  target,
}: Pick<CampaignInput, 'text' | 'target'>): FieldProblem[] =>
  variableProblems(text, target === 'groups' ? 'group' : 'person');
