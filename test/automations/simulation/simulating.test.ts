import { describe, expect, it } from '@jest/globals';
import { updateAutomation } from '../../../src/automations/service.ts';
import { activateAutomation } from '../../../src/automations/transitions.ts';
import { opened } from '../../support/opened.ts';
import { conversation, end, later, openSimulating, START, say } from './support/simulating.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const open = opened(openSimulating);

describe('POST /v1/automations/{id}/simulate', () => {
  it('shows each step, the branch it took, its time and its messages', async () => {
    const id = await open.draft(conversation);

    const seen = await open.simulate(id, {
      contact: { name: 'Ana Souza' },
      message: 'Bom dia',
      replies: [{ after: 'PT5M', text: 'sim, quero' }],
    });

    expect(seen).toMatchObject({
      status: 'succeeded',
      started_at: START,
      finished_at: later(5 * MINUTE),
      stopped_by: null,
      error: null,
      unheard_replies: 0,
    });
    const steps = seen.steps.map(({ step_id, branch, next_step_id, finished_at }) => [
      step_id,
      branch,
      next_step_id,
      finished_at,
    ]);
    expect(steps).toEqual([
      ['hello', 'next', 'hear', START],
      ['hear', 'next', 'decide', later(5 * MINUTE)],
      ['decide', 'cases[0].next', 'yes', later(5 * MINUTE)],
      ['yes', 'next', 'end', later(5 * MINUTE)],
      ['end', null, null, later(5 * MINUTE)],
    ]);
    expect(seen.steps[0]?.messages).toMatchObject([{ at: START, text: 'Oi Ana! Quer ver?' }]);
    expect(seen.conversation.map(({ direction, text }) => [direction, text])).toEqual([
      ['inbound', 'Bom dia'],
      ['outbound', 'Oi Ana! Quer ver?'],
      ['inbound', 'sim, quero'],
      ['outbound', 'Que bom, Ana Souza!'],
    ]);
  });

  it('takes the other branches for other answers, and for none', async () => {
    const id = await open.draft(conversation);
    const opening = { message: 'Bom dia' };

    const no = await open.simulate(id, {
      ...opening,
      replies: [{ after: 'PT1H', text: 'agora não' }],
    });
    const silence = await open.simulate(id, opening);

    expect(no.steps.map(({ branch }) => branch)).toEqual(['next', 'next', 'else', null]);
    expect(silence.steps.map(({ step_id, branch }) => [step_id, branch])).toEqual([
      ['hello', 'next'],
      ['hear', 'on_timeout'],
      ['late', 'next'],
      ['end', null],
    ]);
    expect(silence.finished_at).toBe(later(20 * 60 * MINUTE));
  });

  it('skips waits of months, and keeps to the rules at their end', async () => {
    const id = await open.draft([
      { id: 'rest', type: 'wait', duration: 'P90D', next: 'again' },
      say('again', 'Saudades!', 'end'),
      end,
    ]);

    const seen = await open.simulate(id, { message: 'Oi' });

    expect(seen).toMatchObject({
      status: 'failed',
      finished_at: later(90 * DAY),
      error: { step_id: 'again', code: 'out_of_window' },
    });
  });

  it('lets a day pass between two waits for the same time of day', async () => {
    const until = { type: 'wait', until: '09:00' };
    const id = await open.draft([
      { id: 'one', ...until, next: 'two' },
      { id: 'two', ...until, next: 'end' },
      end,
    ]);

    const { steps } = await open.simulate(id);

    const [one, two] = steps.map(({ finished_at }) => Date.parse(finished_at ?? ''));
    expect((two ?? 0) - (one ?? 0)).toBe(DAY);
  });

  it('counts replies that nobody heard', async () => {
    const id = await open.draft([say('hello', 'Oi!', 'end'), end]);

    const seen = await open.simulate(id, {
      message: 'Oi',
      replies: [{ after: 'PT1M', text: 'e aí?' }],
    });

    expect(seen).toMatchObject({ status: 'succeeded', unheard_replies: 1 });
  });

  it('runs the draft, not what was published', async () => {
    const id = await open.draft([say('hello', 'Antes', 'end'), end]);
    await activateAutomation(open.ctx, id);
    await updateAutomation(open.ctx, id, { steps: [say('hello', 'Depois', 'end'), end] } as never, {
      trustedOrigins: [],
    });

    const seen = await open.simulate(id, { message: 'Oi' });

    expect(seen.steps[0]?.messages).toMatchObject([{ text: 'Depois' }]);
  });

  it('waits for a condition as long as a run may, and no longer', async () => {
    const never = { field: 'tag', op: 'has_any', value: ['nunca'] };
    const hold = { type: 'wait_until', when: never, next: 'end' };
    const id = await open.draft([
      { id: 'rest', type: 'wait', duration: 'P365D', next: 'hold' },
      { id: 'hold', ...hold, timeout: 'P10D', on_timeout: 'more' },
      { id: 'more', ...hold, timeout: 'P40D', on_timeout: 'end' },
      end,
    ]);

    const seen = await open.simulate(id, { message: 'Oi' });

    expect(seen.steps.map(({ step_id, branch }) => [step_id, branch])).toEqual([
      ['rest', 'next'],
      ['hold', 'on_timeout'],
      ['more', null],
    ]);
    expect(seen).toMatchObject({ status: 'failed', error: { step_id: 'more', code: 'timeout' } });
  });

  it.each([
    { type: 'add_tag', tag: 'lead' },
    { type: 'http_request', url: 'https://erp.loja.com.br/precos', on_error: null },
  ])('is followed for 200 steps, whatever they do: $type', async (step) => {
    const many = Array.from({ length: 70 }, (_, i) => ({
      ...step,
      id: `s${i}`,
      next: i < 69 ? `s${i + 1}` : 'hear',
    }));
    const hear = { id: 'hear', type: 'wait_for_reply', timeout: 'P1D', on_timeout: 'end' };
    const id = await open.draft([{ ...hear, next: 's0' }, ...many, end]);

    const seen = await open.simulate(id, {
      message: 'Oi',
      replies: [1, 2, 3].map((minute) => ({ after: `PT${minute}M`, text: 'e aí?' })),
    });

    expect(seen).toMatchObject({ stopped_by: 'steps', status: 'running', error: null });
    expect(seen.steps).toHaveLength(200);
    expect(seen.steps.at(-1)?.status).toBe('succeeded');
  });

  it('refuses a draft that could not be activated, and times far away', async () => {
    const id = await open.draft([{ id: 'a', type: 'send_message', text: 'Oi', next: 'nowhere' }]);
    const fine = await open.draft([end]);

    await expect(open.simulate(id)).rejects.toMatchObject({ code: 'invalid_definition' });
    await expect(open.simulate(fine, { starts_at: '1999-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'validation',
      details: [{ path: 'starts_at' }],
    });
  });
});
