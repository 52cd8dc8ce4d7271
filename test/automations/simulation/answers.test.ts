import { describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { end, openSimulating } from './support/simulating.ts';

const open = opened(openSimulating);

describe('an answer that is given to a simulation', () => {
  const request = {
    id: 'ask',
    type: 'http_request',
    url: 'https://erp.loja.com.br/precos',
    next: 'end',
    on_error: 'end',
  };

  it('is refused when no step would be given it', async () => {
    const id = await open.draft([request, end]);
    const answers = [
      { step_id: 'aks', status: 500 },
      { step_id: 'end', fails: true },
      { step_id: 'ask', text: 'Custa 10 reais.' },
    ];

    await expect(open.simulate(id, { answers })).rejects.toMatchObject({
      code: 'validation',
      details: [
        { path: 'answers[0].step_id', rule: 'unknown' },
        { path: 'answers[1].step_id', rule: 'unknown' },
        { path: 'answers[2].text', rule: 'not_applicable' },
      ],
    });
  });

  it('that is an error takes the way out of errors, also where both lead to one step', async () => {
    const id = await open.draft([request, end]);

    const failed = await open.simulate(id, { answers: [{ step_id: 'ask', status: 500 }] });
    const went = await open.simulate(id);

    expect(failed.steps[0]?.branch).toBe('on_error');
    expect(went.steps[0]?.branch).toBe('next');
  });

  it('of the AI that is blank fails the run, as a real one does', async () => {
    const talk = { id: 'talk', type: 'ai_reply', goal: 'Venda.', max_turns: 2, next: 'end' };
    const id = await open.draft([talk, end]);

    const blank = await open.simulate(id, {
      message: 'Oi',
      answers: [{ step_id: 'talk', text: ' ' }],
    });

    expect(blank).toMatchObject({ status: 'failed', error: { code: 'ai_failed' } });
  });
});
