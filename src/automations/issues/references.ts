import { variablesIn } from '../../contacts/variables.ts';
import type { IdNoun, Rules } from '../../segments/rules.ts';
import { isGroup } from '../../segments/rules.ts';
import { conditionField, stepOutput } from '../definition/conditions.ts';
import type { Definition, Step } from '../definition/language.ts';

/**
 * `stage_of` is a stage within its pipeline, `member_of` a member within a team, and `answering_in` one who may be given
 * a conversation: `pip_…/stg_…`.
 */
export type Noun = IdNoun | 'segment' | 'media' | 'stage_of' | 'member_of' | 'answering_in';

/** A record of the workspace that a definition refers to. */
export interface Reference {
  readonly noun: Noun;
  readonly id: string;
  /** Its place: `steps[3].team_id`. */
  readonly path: string;
  /** Null for the trigger and the entry. */
  readonly stepId: string | null;
}

/** A step's output, referred to by a condition or a text. */
export interface OutputReference {
  readonly stepId: string;
  readonly output: string;
  readonly path: string;
  readonly in: string | null;
}

type Found = Omit<Reference, 'stepId'>;

const one = (noun: Noun, id: string | null, path: string): Found[] =>
  id === null ? [] : [{ noun, id, path }];

const many = (noun: Noun, ids: readonly string[], path: string): Found[] =>
  ids.map((id, index) => ({ noun, id, path: `${path}[${index}]` }));

const within = (noun: Noun, outer: string, inner: string | null, path: string): Found[] =>
  one(noun, inner === null ? null : `${outer}/${inner}`, path);

/** Every record that the definition refers to, in the order of its text. */
export function referencesOf({ trigger, entry, steps }: Definition): Reference[] {
  const about = (stepId: string | null, found: readonly Found[]): Reference[] =>
    found.map((each) => ({ ...each, stepId }));
  return [
    ...about(null, ofTrigger(trigger)),
    ...about(null, entry.conditions ? ofRules(entry.conditions, 'entry.conditions') : []),
    ...steps.flatMap((step, index) => about(step.id, ofStep(step, `steps[${index}]`))),
  ];
}

function ofTrigger(trigger: Definition['trigger']): Found[] {
  switch (trigger.type) {
    case 'message_received':
    case 'first_message':
    case 'conversation_opened':
    case 'conversation_closed':
    case 'no_reply':
      return many('number', trigger.number_ids, 'trigger.number_ids');
    case 'field_changed':
      // The empty text is an owner who was taken away.
      return trigger.field === 'owner_id' && trigger.to !== null && trigger.to !== ''
        ? one('member', String(trigger.to), 'trigger.to')
        : [];
    case 'stage_changed': {
      const { pipeline_id: pipeline, stage_ids: stages } = trigger;
      return [
        ...one('pipeline', pipeline, 'trigger.pipeline_id'),
        ...(pipeline === null
          ? many('stage', stages, 'trigger.stage_ids')
          : many(
              'stage_of',
              stages.map((stage) => `${pipeline}/${stage}`),
              'trigger.stage_ids',
            )),
      ];
    }
    case 'form_submitted':
      return many('form', trigger.form_ids, 'trigger.form_ids');
    case 'campaign_replied':
      return many('campaign', trigger.campaign_ids, 'trigger.campaign_ids');
    case 'segment_entered':
    case 'segment_left':
    case 'schedule':
      return one('segment', trigger.segment_id, 'trigger.segment_id');
    default:
      return [];
  }
}

function ofStep(step: Step, path: string): Found[] {
  switch (step.type) {
    case 'send_media':
      return one('media', step.media_id, `${path}.media_id`);
    case 'branch':
      return step.cases.flatMap(({ when }, index) => ofRules(when, `${path}.cases[${index}].when`));
    case 'wait_until':
      return ofRules(step.when, `${path}.when`);
    case 'create_deal':
      return [
        ...one('pipeline', step.pipeline_id, `${path}.pipeline_id`),
        ...within('stage_of', step.pipeline_id, step.stage_id, `${path}.stage_id`),
      ];
    case 'move_stage':
      return one('stage', step.stage_id, `${path}.stage_id`);
    case 'assign':
      return [
        ...one('team', step.team_id, `${path}.team_id`),
        ...within('answering_in', step.team_id, step.member_id, `${path}.member_id`),
      ];
    case 'handover':
      return [
        ...one('team', step.team_id, `${path}.team_id`),
        ...(step.team_id === null
          ? one('member', step.member_id, `${path}.member_id`)
          : within('member_of', step.team_id, step.member_id, `${path}.member_id`)),
      ];
    case 'start_automation':
      return one('automation', step.automation_id, `${path}.automation_id`);
    default:
      return [];
  }
}

/** Walks a tree of conditions. */
function eachCondition<T>(
  rules: Rules,
  path: string,
  visit: (condition: { field: string; value?: unknown }, path: string) => T[],
): T[] {
  if (!isGroup(rules)) return visit(rules, path);
  if ('not' in rules) return eachCondition(rules.not, `${path}.not`, visit);
  const [word, parts] = 'all' in rules ? ['all', rules.all] : ['any', rules.any];
  return parts.flatMap((part, index) => eachCondition(part, `${path}.${word}[${index}]`, visit));
}

const ofRules = (rules: Rules, path: string): Found[] =>
  eachCondition(rules, path, ({ field, value }, at) => {
    const noun = conditionField(field)?.ids;
    if (!noun) return [];
    if (typeof value === 'string') return one(noun, value, `${at}.value`);
    return Array.isArray(value) ? many(noun, value as string[], `${at}.value`) : [];
  });

/** Every reference to a step's output: in conditions, and as a variable in a text. */
export function outputReferencesOf({ entry, steps }: Definition): OutputReference[] {
  const named = (stepId: string | null, name: string, path: string): OutputReference[] => {
    const found = stepOutput(name);
    return found ? [{ ...found, path, in: stepId }] : [];
  };
  const inRules = (stepId: string | null, rules: Rules, path: string): OutputReference[] =>
    eachCondition(rules, path, ({ field }, at) => named(stepId, field, `${at}.field`));
  return [
    ...(entry.conditions ? inRules(null, entry.conditions, 'entry.conditions') : []),
    ...steps.flatMap((step, index) => {
      const path = `steps[${index}]`;
      return [
        ...rulesOf(step).flatMap(([at, rules]) => inRules(step.id, rules, `${path}.${at}`)),
        ...textsOf(step).flatMap(([at, value]) =>
          variablesIn(value).flatMap((name) => named(step.id, name, `${path}.${at}`)),
        ),
      ];
    }),
  ];
}

function rulesOf(step: Step): [string, Rules][] {
  if (step.type === 'branch')
    return step.cases.map(({ when }, index) => [`cases[${index}].when`, when]);
  return step.type === 'wait_until' ? [['when', step.when]] : [];
}

/** The texts of a step with variables; no other string contains any. */
const textsOf = (step: Step): [string, string][] =>
  ['text', 'retry_text', 'title', 'note', 'url', 'body', 'value', 'parameters'].flatMap((name) => {
    const value: unknown = (step as Record<string, unknown>)[name];
    if (Array.isArray(value))
      return value.map((each, index): [string, string] => [`${name}[${index}]`, String(each)]);
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
