import { hasOutput } from '../definition/conditions.ts';
import type { Definition, Step } from '../definition/language.ts';
import { blanksOf } from './blanks.ts';
import { misfitsOf } from './constants.ts';
import { exitsOf, loopsWithoutWait, reachable, stepsById, textsOutsideWindow } from './graph.ts';
import {
  type OutputReference,
  outputReferencesOf,
  type Reference,
  referencesOf,
} from './references.ts';
import type { MissingTemplate } from './templates.ts';

export const ISSUE_CODES = [
  'unreachable_step',
  'missing_next',
  'loop_without_wait',
  'text_outside_window',
  'unknown_reference',
  'duplicate_step',
  'blank_text',
  'impossible_value',
  'date_passed',
  'ai_not_configured',
] as const;

/** An error prevents activation; a warning is for the author to judge. */
export const SEVERITIES = ['error', 'warning'] as const;

/** Something in a well-formed definition that will not work, or may not be intended (design decisions §9). */
export interface Issue {
  /** Null for the trigger and the entry. */
  readonly step_id: string | null;
  readonly code: (typeof ISSUE_CODES)[number];
  readonly message: string;
  readonly severity: (typeof SEVERITIES)[number];
  /** `steps[3].team_id`; null if the step as a whole is meant. */
  readonly path: string | null;
}

/** What the workspace knows of that the definition refers to. */
export interface Known {
  /** Whether one of these records exists. */
  has(reference: Pick<Reference, 'noun' | 'id'>): boolean;
  /** Whether one of its numbers has WhatsApp's 24-hour window. */
  readonly window: boolean;
  /** The templates of its steps that not each of its numbers can send. */
  readonly templates: readonly MissingTemplate[];
  /** Whether the one moment of its trigger has passed. */
  readonly passed: boolean;
}

/** All issues of a definition that can be found without looking anything up. */
export function findIssues(definition: Definition, known: Known): Issue[] {
  return [
    ...duplicates(definition.steps),
    ...exits(definition.steps),
    ...unreached(definition.steps),
    ...loopsWithoutWait(definition).map((step) =>
      error(step.id, 'loop_without_wait', 'From here the run comes back without ever waiting.'),
    ),
    ...unknownRecords(definition, known),
    ...unknownOutputs(definition),
    ...known.templates.map(({ stepId, path, message, everywhere }) =>
      (everywhere ? error : warning)(stepId, 'unknown_reference', message, path),
    ),
    ...blanksOf(definition).map(({ stepId, path }) =>
      error(stepId, 'blank_text', 'Nothing can be seen of this text: write something.', path),
    ),
    ...misfitsOf(definition).map(({ stepId, path, message }) =>
      error(stepId, 'impossible_value', message, path),
    ),
    ...(known.passed
      ? [warning(null, 'date_passed', 'This moment has passed: nobody starts.', 'trigger.date')]
      : []),
    ...(known.window ? textsOutsideWindow(definition) : []).map((step) =>
      warning(
        step.id,
        'text_outside_window',
        'The person may not have written for 24 hours by then: only a template would be delivered.',
      ),
    ),
  ];
}

interface Typed {
  readonly steps: readonly Pick<Step, 'id' | 'type'>[];
}

/** For an installation without an AI: only a warning, because the next worker to start may have one. */
export const issuesWithoutAi = ({ steps }: Typed): Issue[] =>
  steps
    .filter(({ type }) => type === 'ai_reply')
    .map(({ id }) =>
      warning(id, 'ai_not_configured', 'No AI is configured here: this step would fail.'),
    );

type IssueOf = (
  stepId: string | null,
  code: Issue['code'],
  message: string,
  path?: string,
) => Issue;

const error: IssueOf = (step_id, code, message, path) => ({
  step_id,
  code,
  message,
  severity: 'error',
  path: path ?? null,
});

const warning: IssueOf = (...issue) => ({ ...error(...issue), severity: 'warning' });

function duplicates(steps: readonly Step[]): Issue[] {
  return steps.flatMap(({ id }, index) =>
    steps.findIndex((other) => other.id === id) < index
      ? [error(id, 'duplicate_step', `An earlier step is named ${id} too.`, `steps[${index}].id`)]
      : [],
  );
}

function exits(steps: readonly Step[]): Issue[] {
  const byId = stepsById(steps);
  return steps.flatMap((step, index) =>
    exitsOf(step).flatMap(({ name, to, optional }) => {
      const path = `steps[${index}].${name}`;
      if (to === null)
        return optional ? [] : [error(step.id, 'missing_next', `Say where ${name} leads.`, path)];
      return byId.has(to)
        ? []
        : [error(step.id, 'unknown_reference', `There is no step ${to}.`, path)];
    }),
  );
}

function unreached(steps: readonly Step[]): Issue[] {
  const reached = reachable(stepsById(steps), [steps[0]?.id ?? null]);
  return [...new Set(steps.map(({ id }) => id))]
    .filter((id) => !reached.has(id))
    .map((id) => warning(id, 'unreachable_step', 'No step leads here.'));
}

const NAMES: Partial<Record<Reference['noun'], string>> = {
  stage_of: 'stage in this pipeline',
  member_of: 'member in this team',
  answering_in: 'member in this team who can answer',
  media: 'file',
};

const unknownRecords = (definition: Definition, known: Known): Issue[] =>
  referencesOf(definition)
    .filter((reference) => !known.has(reference))
    .map(({ noun, stepId, path }) =>
      error(stepId, 'unknown_reference', `There is no such ${NAMES[noun] ?? noun}.`, path),
    );

function unknownOutputs(definition: Definition): Issue[] {
  const byId = stepsById(definition.steps);
  return outputReferencesOf(definition).flatMap((reference) => {
    const message = outputProblem(reference, byId.get(reference.stepId));
    return message ? [error(reference.in, 'unknown_reference', message, reference.path)] : [];
  });
}

/** Null if the step has left it by then: the entry is asked before the first step. */
function outputProblem(reference: OutputReference, step: Step | undefined): string | null {
  if (reference.in === null) return 'Nobody has taken a step yet when they enter.';
  if (!step) return `There is no step ${reference.stepId}.`;
  return hasOutput(step.type, reference.output)
    ? null
    : `A step ${step.type} leaves no ${reference.output}.`;
}
