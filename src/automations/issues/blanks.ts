import { isBlank } from '../../http/fields.ts';
import type { Definition, Step } from '../definition/language.ts';

/** A text of a definition that people read or match, and nobody can see. */
interface Blank {
  /** Null for the trigger. */
  readonly stepId: string | null;
  /** `steps[3].text`. */
  readonly path: string;
}

/** The texts that must say something and hold blanks or invisible characters alone. */
export const blanksOf = ({ trigger, steps }: Definition): Blank[] => [
  ...(trigger.type === 'tag_added' ? blanksIn(listed('trigger.tags', trigger.tags), null) : []),
  ...steps.flatMap((step, index) =>
    blanksIn(
      wordsOf(step).map(([name, value]) => [`steps[${index}].${name}`, value]),
      step.id,
    ),
  ),
];

/** The first text of a step that shows as nothing, as `options[1]`; null if there is none. */
export const blankIn = (step: Step): string | null =>
  wordsOf(step).find(([, value]) => value !== null && isBlank(value))?.[0] ?? null;

type Named = readonly [name: string, value: string | null];

const blanksIn = (words: readonly Named[], stepId: string | null): Blank[] =>
  words.flatMap(([path, value]) => (value !== null && isBlank(value) ? [{ stepId, path }] : []));

const listed = (name: string, values: readonly string[]): Named[] =>
  values.map((value, index) => [`${name}[${index}]`, value]);

function wordsOf(step: Step): Named[] {
  switch (step.type) {
    case 'send_message':
      return [['text', step.text]];
    case 'send_template':
      return listed('parameters', step.parameters);
    case 'ask':
      return [
        ['text', step.text],
        ['retry_text', step.retry_text],
        ...listed('options', step.options),
      ];
    case 'ai_reply':
      return [['goal', step.goal]];
    case 'add_tag':
    case 'remove_tag':
      return [['tag', step.tag]];
    case 'create_deal':
      return [['title', step.title]];
    case 'set_field':
      // The one field that cannot be cleared.
      return step.field === 'name' ? [['value', String(step.value ?? '')]] : [];
    case 'create_reminder':
      return [
        ['title', step.title],
        ['text', step.text],
      ];
    default:
      return [];
  }
}
