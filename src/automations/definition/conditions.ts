import { HANDLERS } from '../../conversations/rules.ts';
import { MEDIA_KINDS } from '../../gateway/port.ts';
import { rulesIn } from '../../segments/language.ts';
import { FIELD_NAMES, type Field, fieldNamed } from '../../segments/rules.ts';

/** What a run knows besides the contact (design decisions §9). */
const OF_A_RUN: Readonly<Record<string, Field>> = {
  'message.text': { kind: 'text' },
  'message.type': {
    kind: 'choice',
    choices: ['text', ...MEDIA_KINDS, 'location', 'contacts', 'reaction', 'unsupported'],
  },
  'conversation.number_id': { kind: 'choice', ids: 'number' },
  'conversation.team_id': { kind: 'choice', ids: 'team' },
  'conversation.member_id': { kind: 'choice', ids: 'member' },
  'conversation.handled_by': { kind: 'choice', choices: HANDLERS },
  'now.in_hours': { kind: 'boolean' },
};

/** The outputs that steps leave for later ones. */
const OUTPUTS = {
  answer: { kind: 'text' },
  timed_out: { kind: 'boolean' },
  status: { kind: 'number' },
  ok: { kind: 'boolean' },
  body: { kind: 'text' },
  turns: { kind: 'number' },
} as const satisfies Record<string, Field>;

type Output = keyof typeof OUTPUTS;

const OUTPUTS_OF: Readonly<Record<string, readonly Output[]>> = {
  ask: ['answer', 'timed_out'],
  wait_for_reply: ['answer', 'timed_out'],
  wait_until: ['timed_out'],
  http_request: ['status', 'ok', 'body'],
  ai_reply: ['turns'],
};

/** Whether a step of this type has this output. */
export const hasOutput = (type: string, output: string): boolean =>
  OUTPUTS_OF[type]?.some((own) => own === output) ?? false;

const STEP_OUTPUT = /^step\.([A-Za-z0-9_-]{1,40})\.([a-z_]{1,40})$/;

/** The two parts of `step.ask.answer`; null for any other name. */
export function stepOutput(name: string): { stepId: string; output: string } | null {
  const [, stepId, output] = STEP_OUTPUT.exec(name) ?? [];
  return stepId && output ? { stepId, output } : null;
}

/** A condition's field by name: those of segments, and those only runs have. */
export function conditionField(name: string): Field | null {
  if (Object.hasOwn(OF_A_RUN, name)) return OF_A_RUN[name] ?? null;
  const output = stepOutput(name)?.output;
  if (output === undefined) return fieldNamed(name);
  return Object.hasOwn(OUTPUTS, output) ? OUTPUTS[output as Output] : null;
}

/** The language of segments (design decisions §11), with the additional fields of runs. */
export const rules = rulesIn({
  id: 'AutomationConditions',
  description:
    '`all`, `any` or `not` of further conditions, or one condition. Groups are at most 4 deep.',
  fieldNamed: conditionField,
  names: [...FIELD_NAMES, ...Object.keys(OF_A_RUN), 'step.<id>.<output>'],
});
