import { describe, expect, it } from '@jest/globals';
import { END, EVERYTHING, issues } from './support/definitions.ts';

const say = (id: string, next: string | null = 'end') => ({
  id,
  type: 'send_message',
  text: 'Oi',
  next,
});
const pause = (id: string, next: string, duration = 'PT1H') => ({
  id,
  type: 'wait',
  duration,
  next,
});
const tag = (id: string, next: string) => ({ id, type: 'add_tag', tag: 'x', next });

describe('the issues of a draft', () => {
  it('are none where every way leads to an end', () => {
    expect(issues([say('a'), END])).toEqual([]);
  });

  it('name each way out that leads nowhere', () => {
    const branch = {
      id: 'b',
      type: 'branch',
      cases: [{ when: { field: 'message.text', op: 'eq', value: 'x' } }],
    };

    expect(issues([say('a', 'b'), branch])).toEqual([
      'b missing_next steps[1].cases[0].next',
      'b missing_next steps[1].else',
    ]);
  });

  it('leave open what a run can end without', () => {
    const ai = { id: 'ai', type: 'ai_reply', goal: 'x', next: 'call' };
    const call = { id: 'call', type: 'http_request', url: 'https://a.com', next: 'q' };
    const ask = { id: 'q', type: 'ask', text: 'x', timeout: 'P1D', next: 'end', on_timeout: 'end' };

    expect(issues([ai, call, ask, END])).toEqual([]);
  });

  it('name steps that are not there, are there twice, or that nobody comes to', () => {
    expect(issues([say('a', 'b'), say('a', 'end'), END])).toEqual([
      'a duplicate_step steps[1].id',
      'a unknown_reference steps[0].next',
      'end unreachable_step -',
    ]);
  });

  it('name the first step of a loop that never waits', () => {
    expect(issues([tag('a', 'b'), tag('b', 'c'), tag('c', 'b')])).toEqual([
      'b loop_without_wait -',
    ]);
    expect(issues([tag('a', 'a')])).toEqual(['a loop_without_wait -']);
    expect(issues([tag('a', 'b'), pause('b', 'a')])).toEqual([]);
  });

  it('let a counted jump go back without a wait', () => {
    const jump = { id: 'g', type: 'go_to', to: 'a', max_times: 3, next: 'end' };

    expect(issues([tag('a', 'g'), jump, END])).toEqual([]);
  });

  it('do not take the AI for a wait: it may answer at once', () => {
    const ai = { id: 'ai', type: 'ai_reply', goal: 'x', next: 'ai', on_handover: 'end' };

    expect(issues([ai, END])).toEqual(['ai loop_without_wait -', 'ai text_outside_window -']);
  });

  it('warn of free text a day after the last word of the person', () => {
    const long = [pause('w', 'a', 'PT24H'), say('a'), END];
    const short = [pause('w', 'a', 'PT23H'), say('a'), END];
    const answered = [
      pause('w', 'r', 'P2D'),
      { id: 'r', type: 'wait_for_reply', timeout: 'P1D', next: 'a', on_timeout: 'end' },
      say('a'),
      END,
    ];

    expect(issues(long)).toEqual(['a text_outside_window -']);
    expect(issues(short)).toEqual([]);
    expect(issues(answered)).toEqual([]);
  });

  it('warn of a reminder a day after the last word of the person', () => {
    const reminds = (after: string, time: string | null = null) => [
      pause('w', 'r', 'PT2H'),
      { id: 'r', type: 'create_reminder', title: 'x', text: 'y', after, time, next: 'end' },
      END,
    ];

    expect(issues(reminds('PT21H'))).toEqual([]);
    expect(issues(reminds('PT22H'))).toEqual(['r text_outside_window -']);
    expect(issues(reminds('PT1H', '10:00'))).toEqual(['r text_outside_window -']);
  });

  it('warn of free text when nobody has written, and of waits that add up in a loop', () => {
    const again = [pause('w', 'a'), say('a', 'w')];

    expect(issues([say('a'), END], { trigger: { type: 'tag_added', tags: ['x'] } })).toEqual([
      'a text_outside_window -',
    ]);
    expect(issues(again)).toEqual(['a text_outside_window -']);
    expect(issues(again, { known: { ...EVERYTHING, window: false } })).toEqual([]);
  });

  it('let templates leave at any time', () => {
    const template = { id: 't', type: 'send_template', name: 'x', language: 'pt_BR', next: 'end' };

    expect(issues([template, END], { trigger: { type: 'contact_created' } })).toEqual([]);
  });

  it('name every text that would show as nothing, and no other', () => {
    const blank = ' \u200B\n';
    const steps = [
      { ...say('a', 'b'), text: blank },
      {
        ...{ id: 'b', type: 'ask', text: blank, retry_text: blank, expects: 'choice' },
        ...{ options: ['Sim', blank], timeout: 'P1D', next: 'c', on_timeout: 'end' },
      },
      { ...tag('c', 'd'), tag: blank },
      { id: 'd', type: 'remove_tag', tag: blank, next: 'e' },
      { id: 'e', type: 'create_deal', pipeline_id: 'pip_1', title: blank, next: 'f' },
      {
        ...{ id: 'f', type: 'create_reminder', title: blank, text: blank, after: 'P1D' },
        next: 'g',
      },
      {
        ...{ id: 'g', type: 'send_template', name: 'x', language: 'pt_BR', next: 'h' },
        parameters: ['{{name}}', blank],
      },
      { id: 'h', type: 'send_media', media_id: 'med_1', text: blank, next: 'i' },
      { id: 'i', type: 'ai_reply', goal: blank, next: 'j' },
      { id: 'j', type: 'set_field', field: 'name', value: null, next: 'k' },
      { id: 'k', type: 'set_field', field: 'notes', value: null, next: 'end' },
      END,
    ];
    const trigger = { type: 'tag_added', tags: ['vip', blank] };

    expect(issues(steps, { trigger, known: { ...EVERYTHING, window: false } })).toEqual([
      '- blank_text trigger.tags[1]',
      'a blank_text steps[0].text',
      'b blank_text steps[1].text',
      'b blank_text steps[1].retry_text',
      'b blank_text steps[1].options[1]',
      'c blank_text steps[2].tag',
      'd blank_text steps[3].tag',
      'e blank_text steps[4].title',
      'f blank_text steps[5].title',
      'f blank_text steps[5].text',
      'g blank_text steps[6].parameters[1]',
      'i blank_text steps[8].goal',
      'j blank_text steps[9].value',
    ]);
  });

  it('name every record that is not there, with its place', () => {
    const trigger = { type: 'stage_changed', pipeline_id: 'pip_1', stage_ids: ['stg_1'] };
    const entry = { conditions: { any: [{ field: 'team_id', op: 'eq', value: 'team_1' }] } };
    const steps = [
      { id: 'a', type: 'assign', team_id: 'team_1', member_id: 'mem_1', next: 'b' },
      { id: 'b', type: 'start_automation', automation_id: 'atm_1', next: 'c' },
      {
        id: 'c',
        type: 'create_deal',
        pipeline_id: 'pip_1',
        stage_id: 'stg_1',
        title: 'x',
        next: 'd',
      },
      { id: 'd', type: 'send_media', media_id: 'med_1', next: 'e' },
      { id: 'e', type: 'move_stage', stage_id: 'stg_2', next: 'h' },
      { id: 'h', type: 'handover', member_id: 'mem_1' },
    ];

    expect(
      issues(steps, { trigger, entry, known: { ...EVERYTHING, has: () => false, window: false } }),
    ).toEqual([
      '- unknown_reference trigger.pipeline_id',
      '- unknown_reference trigger.stage_ids[0]',
      '- unknown_reference entry.conditions.any[0].value',
      'a unknown_reference steps[0].team_id',
      'a unknown_reference steps[0].member_id',
      'b unknown_reference steps[1].automation_id',
      'c unknown_reference steps[2].pipeline_id',
      'c unknown_reference steps[2].stage_id',
      'd unknown_reference steps[3].media_id',
      'e unknown_reference steps[4].stage_id',
      'h unknown_reference steps[5].member_id',
    ]);
  });

  it.each([
    ['owner_id', 'mem_1', ['- unknown_reference trigger.to']],
    ['owner_id', 7, ['- unknown_reference trigger.to']],
    ['owner_id', '', []],
    ['owner_id', null, []],
    ['name', 'mem_1', []],
  ])('name an owner who is not there, in a trigger of %s that becomes %p', (field, to, found) => {
    const known = { ...EVERYTHING, has: () => false, window: false };

    expect(issues([END], { trigger: { type: 'field_changed', field, to }, known })).toEqual(found);
  });

  it('name what a step does not leave behind, in conditions and in texts', () => {
    const branch = {
      id: 'b',
      type: 'branch',
      cases: [
        { when: { field: 'step.gone.answer', op: 'eq', value: 'x' }, next: 'end' },
        { when: { field: 'step.r.status', op: 'eq', value: 200 }, next: 'end' },
        { when: { field: 'step.r.answer', op: 'eq', value: 'x' }, next: 't' },
      ],
      else: 'end',
    };
    const steps = [
      { id: 'r', type: 'wait_for_reply', timeout: 'PT1H', next: 'b', on_timeout: 'end' },
      branch,
      { ...say('t'), text: '{{step.r.answer}} {{step.b.answer|?}}' },
      END,
    ];

    expect(issues(steps)).toEqual([
      'b unknown_reference steps[1].cases[0].when.field',
      'b unknown_reference steps[1].cases[1].when.field',
      't unknown_reference steps[2].text',
    ]);
  });

  it('name what a step leaves behind, where an entry asks for it before any was taken', () => {
    const reply = { id: 'r', type: 'wait_for_reply', timeout: 'PT1H', next: 'end' };
    const answered = { field: 'step.r.answer', op: 'empty' };
    const conditions = { all: [{ field: 'tag', op: 'has_any', value: ['vip'] }, answered] };

    expect(issues([{ ...reply, on_timeout: 'end' }, END], { entry: { conditions } })).toEqual([
      '- unknown_reference entry.conditions.all[1].field',
    ]);
  });
});
