import { describe, expect, it } from '@jest/globals';
import { readNewAutomation, readPatch } from '../../src/automations/service.ts';
import { AppError } from '../../src/errors.ts';
import { problems, withSteps, withTrigger } from './support/definitions.ts';

const wait = (more: object) => ({ id: 'w', type: 'wait', next: 'end', ...more });
const branch = (when: unknown) => ({
  id: 'b',
  type: 'branch',
  cases: [{ when, next: 'end' }],
  else: 'end',
});
const ask = (more: object) => ({
  id: 'a',
  type: 'ask',
  text: 'Qual?',
  timeout: 'P1D',
  next: 'end',
  on_timeout: 'end',
  ...more,
});
const request = (more: object) => ({
  id: 'h',
  type: 'http_request',
  url: 'https://erp.loja.com.br',
  next: 'end',
  ...more,
});
const condition = { field: 'tag', op: 'has_any', value: ['vip'] };
const nested = (depth: number): unknown => (depth === 0 ? condition : { all: [nested(depth - 1)] });

const REFUSED: readonly [string, unknown, string][] = [
  ['an unknown step', withSteps({ id: 'x', type: 'dance' }), 'steps[0].type enum'],
  ['a step that is no object', withSteps('send'), 'steps[0] type'],
  ['a step without a name', withSteps({ type: 'end' }), 'steps[0].id required'],
  ['a name with a space', withSteps({ id: 'a b', type: 'end' }), 'steps[0].id format'],
  [
    'a foreign field',
    withSteps({ id: 'x', type: 'end', next: 'end' }),
    'steps[0].next unknown_field',
  ],
  [
    'an empty text',
    withSteps({ id: 'x', type: 'send_message', text: '' }),
    'steps[0].text min_length',
  ],
  [
    'a text of 4097 characters',
    withSteps({ id: 'x', type: 'send_message', text: 'x'.repeat(4097) }),
    'steps[0].text max_length',
  ],
  [
    'an unknown variable',
    withSteps({ id: 'x', type: 'send_message', text: 'Oi {{nome}}' }),
    'steps[0].text unknown_variable',
  ],
  [
    'a blank keyword',
    withTrigger({ type: 'message_received', match: 'contains_any', keywords: ['preço', ' '] }),
    'trigger.keywords[1] min_length',
  ],
  ['four tries', withSteps(ask({ tries: 4 })), 'steps[0].tries max'],
  [
    'a choice of one',
    withSteps(ask({ expects: 'choice', options: ['a'] })),
    'steps[0].options min_items',
  ],
  [
    'options without a choice',
    withSteps(ask({ options: ['a', 'b'] })),
    'steps[0].options not_applicable',
  ],
  [
    'an option twice',
    withSteps(ask({ expects: 'choice', options: ['Sim', 'sim'] })),
    'steps[0].options unique',
  ],
  ['a phone to write to', withSteps(ask({ save_to: 'phone' })), 'steps[0].save_to format'],
  ['a wait for nothing', withSteps(wait({})), 'steps[0].duration exactly_one'],
  [
    'a wait for two things',
    withSteps(wait({ duration: 'P1D', until: '09:00' })),
    'steps[0].duration exactly_one',
  ],
  [
    'a wait over a year',
    withSteps(wait({ duration: 'P366D' })),
    'steps[0].duration duration_range',
  ],
  [
    'a wait of no length',
    withSteps(wait({ duration: 'PT0S' })),
    'steps[0].duration duration_range',
  ],
  ['a wait of months', withSteps(wait({ duration: 'P1M' })), 'steps[0].duration format'],
  [
    'weekdays of a duration',
    withSteps(wait({ duration: 'P1D', weekdays: [1] })),
    'steps[0].weekdays not_applicable',
  ],
  [
    'a branch without cases',
    withSteps({ ...branch(condition), cases: [] }),
    'steps[0].cases min_items',
  ],
  [
    'eleven cases',
    withSteps({ ...branch(condition), cases: Array(11).fill({ when: condition, next: 'end' }) }),
    'steps[0].cases max_items',
  ],
  [
    'a case without a condition',
    withSteps({ ...branch(0), cases: [{ next: 'end' }] }),
    'steps[0].cases[0].when required',
  ],
  [
    'an operation of another kind',
    withSteps(branch({ ...condition, op: 'gt' })),
    'steps[0].cases[0].when.op enum',
  ],
  [
    'an operation within groups',
    withSteps(
      branch({ all: [condition, { not: { field: 'now.in_hours', op: 'eq', value: true } }] }),
    ),
    'steps[0].cases[0].when.all[1].not.op enum',
  ],
  [
    'groups five deep',
    withSteps(branch(nested(5))),
    'steps[0].cases[0].when.all[0].all[0].all[0].all[0].all max_depth',
  ],
  [
    '51 conditions',
    withSteps(branch({ any: Array(51).fill(condition) })),
    'steps[0].cases[0].when max_conditions',
  ],
  [
    'an output that no step has',
    withSteps(branch({ field: 'step.a.colour', op: 'eq', value: 'red' })),
    'steps[0].cases[0].when.field unknown',
  ],
  [
    'one branch to split',
    withSteps({ id: 's', type: 'split', branches: [{ weight: 1, next: 'end' }] }),
    'steps[0].branches min_items',
  ],
  [
    'a weight of nothing',
    withSteps({ id: 's', type: 'split', branches: [{ weight: 0 }, { weight: 1 }] }),
    'steps[0].branches[0].weight min',
  ],
  [
    'a jump without a limit',
    withSteps({ id: 'g', type: 'go_to', to: 'end', next: 'end' }),
    'steps[0].max_times required',
  ],
  [
    'a jump 101 times',
    withSteps({ id: 'g', type: 'go_to', to: 'end', max_times: 101 }),
    'steps[0].max_times max',
  ],
  [
    '21 turns',
    withSteps({ id: 'i', type: 'ai_reply', goal: 'x', max_turns: 21 }),
    'steps[0].max_turns max',
  ],
  [
    'a GET with a body',
    withSteps(request({ method: 'GET', body: '{}' })),
    'steps[0].body not_applicable',
  ],
  [
    'a header of the connection',
    withSteps(request({ headers: { Host: 'x' } })),
    'steps[0].headers.Host format',
  ],
  [
    'a header that no object keeps',
    withSteps(request({ headers: JSON.parse('{"__proto__":"x"}') })),
    'steps[0].headers.__proto__ format',
  ],
  [
    'a header of two lines',
    withSteps(request({ headers: { 'x-a': 'b\r\nc: d' } })),
    'steps[0].headers.x-a format',
  ],
  [
    'a header that HTTP cannot say',
    withSteps(request({ headers: { 'x-a': 'a \u2014 b', 'x-b': 'caf\u00e9' } })),
    'steps[0].headers.x-a format',
  ],
  ['eleven seconds', withSteps(request({ timeout_seconds: 11 })), 'steps[0].timeout_seconds max'],
];

describe('the definition language', () => {
  it.each(REFUSED)('refuses %s, and says where', (_, input, problem) => {
    expect(problems(input)).toEqual([problem]);
  });

  it('names every problem at once', () => {
    const input = { ...withSteps(wait({ duration: 'soon' }), ask({ tries: 0 })), name: '' };

    expect(problems(input)).toEqual([
      'name min_length',
      'steps[0].duration format',
      'steps[1].tries min',
    ]);
  });

  it('fills in what is left out', () => {
    const { description, entry, steps } = readNewAutomation(withSteps(wait({ duration: 'P1D' })));

    expect(description).toBeNull();
    expect(entry).toEqual({
      conditions: null,
      reentry: 'always',
      reentry_days: null,
      skip_if_handled_by_member: true,
      priority: 0,
    });
    expect(steps[0]).toEqual({
      id: 'w',
      type: 'wait',
      duration: 'P1D',
      until: null,
      weekdays: [],
      next: 'end',
    });
  });

  it('lets a draft leave open where a step leads', () => {
    expect(problems(withSteps({ id: 'x', type: 'add_tag', tag: 'vip' }))).toEqual([]);
  });

  it('takes limits exactly', () => {
    const steps = Array.from({ length: 99 }, (_, i) => wait({ id: `w${i}`, duration: 'P365D' }));

    expect(problems(withSteps(...steps))).toEqual([]);
    expect(problems(withSteps(branch(nested(4))))).toEqual([]);
    expect(problems(withSteps(branch({ any: Array(50).fill(condition) })))).toEqual([]);
  });

  it('changes in a patch only what it names', () => {
    expect(readPatch({ name: 'B' })).toEqual({ name: 'B' });
    expect(() => readPatch({ status: 'active' })).toThrow(AppError);
  });
});
