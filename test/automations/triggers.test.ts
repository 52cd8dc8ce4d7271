import { describe, expect, it } from '@jest/globals';
import { END, problems, withEntry, withSteps, withTrigger } from './support/definitions.ts';

const REFUSED: readonly [string, unknown, string][] = [
  ['no name', { ...withSteps(), name: '' }, 'name min_length'],
  ['a long name', { ...withSteps(), name: 'n'.repeat(101) }, 'name max_length'],
  [
    'a long description',
    { ...withSteps(), description: 'd'.repeat(501) },
    'description max_length',
  ],
  ['no trigger', { name: 'A', steps: [END] }, 'trigger required'],
  ['no steps', { ...withSteps(), steps: [] }, 'steps min_items'],
  ['101 steps', withSteps(...Array(100).fill(END)), 'steps max_items'],
  ['an unknown trigger', withTrigger({ type: 'weather' }), 'trigger.type enum'],
  ['a trigger without its type', withTrigger({}), 'trigger.type required'],
  [
    'a trigger with a foreign field',
    withTrigger({ type: 'manual', number_ids: [] }),
    'trigger.number_ids unknown_field',
  ],
  [
    'keywords for any message',
    withTrigger({ type: 'message_received', keywords: ['oi'] }),
    'trigger.keywords not_applicable',
  ],
  [
    'a match without keywords',
    withTrigger({ type: 'message_received', match: 'equals' }),
    'trigger.keywords min_items',
  ],
  [
    'a number twice',
    withTrigger({ type: 'first_message', number_ids: ['num_1', 'num_1'] }),
    'trigger.number_ids unique',
  ],
  ['no_reply after nothing', withTrigger({ type: 'no_reply' }), 'trigger.after required'],
  [
    'a tag trigger without tags',
    withTrigger({ type: 'tag_added', tags: [] }),
    'trigger.tags min_items',
  ],
  [
    'a field that contacts lack',
    withTrigger({ type: 'field_changed', field: 'shoe_size' }),
    'trigger.field format',
  ],
  [
    'a date that is none',
    withTrigger({ type: 'date_field', field: 'name', time: '09:00' }),
    'trigger.field format',
  ],
  [
    'an offset of more than a year',
    withTrigger({ type: 'date_field', field: 'birth_date', time: '09:00', offset_days: 366 }),
    'trigger.offset_days max',
  ],
  [
    'a time of day that is none',
    withTrigger({ type: 'date_field', field: 'birth_date', time: '24:00' }),
    'trigger.time format',
  ],
  [
    'a weekly schedule without its day',
    withTrigger({ type: 'schedule', segment_id: 'seg_1', repeat: 'weekly', time: '09:00' }),
    'trigger.weekday required',
  ],
  [
    'a daily schedule with a day',
    withTrigger({
      type: 'schedule',
      segment_id: 'seg_1',
      repeat: 'daily',
      time: '09:00',
      month_day: 1,
    }),
    'trigger.month_day not_applicable',
  ],
  ['reentry without its days', withEntry({ reentry: 'after_days' }), 'entry.reentry_days required'],
  [
    'days without their reentry',
    withEntry({ reentry_days: 3 }),
    'entry.reentry_days not_applicable',
  ],
  [
    'entry conditions of no known field',
    withEntry({ conditions: { field: 'x', op: 'eq', value: 'y' } }),
    'entry.conditions.field unknown',
  ],
];

describe('the trigger and the entry of a definition', () => {
  it.each(REFUSED)('are refused for %s, with the place', (_, input, problem) => {
    expect(problems(input)).toEqual([problem]);
  });
});
