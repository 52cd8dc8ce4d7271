import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aNumber } from '../../support/factories/numbers.ts';
import { end, openSimulating, type Simulating, say } from './support/simulating.ts';

let open: Simulating;
beforeAll(async () => {
  open = await openSimulating();
});
afterAll(() => open.close());

const problemsOf = (error: unknown) => ({ code: 'validation', details: [error] });

describe('the person of a simulation', () => {
  it('is refused by the place of what cannot be', async () => {
    const id = await open.draft([end]);

    const unborn = open.simulate(id, { contact: { birth_date: '2999-01-01' } });

    await expect(unborn).rejects.toMatchObject(
      problemsOf({ path: 'contact.birth_date', rule: 'range' }),
    );
  });

  it('lives in a time zone', async () => {
    const id = await open.draft([{ id: 'rest', type: 'wait', until: '09:00', next: 'end' }, end]);

    const seen = await open.simulate(id, { contact: { time_zone: 'Asia/Tokyo' } });

    // 09:00 in Tokyo is midnight in Greenwich, all year round.
    expect(seen.finished_at).toMatch(/T00:00:00\.000Z$/);
  });

  it('who opts out has answered nothing, and is sent nothing more', async () => {
    const id = await open.draft([
      say('hello', 'Oi!', 'hear'),
      { id: 'hear', type: 'wait_for_reply', timeout: 'PT1H', next: 'thanks', on_timeout: 'late' },
      say('thanks', 'Obrigado!', 'end'),
      say('late', 'Ainda está aí?', 'end'),
      end,
    ]);

    const seen = await open.simulate(id, {
      message: 'Oi',
      replies: [{ after: 'PT5M', text: 'Sair' }],
    });

    expect(seen.steps.map(({ step_id, branch }) => [step_id, branch])).toEqual([
      ['hello', 'next'],
      ['hear', 'on_timeout'],
      ['late', null],
    ]);
    expect(seen).toMatchObject({ status: 'failed', error: { code: 'send_failed' } });
  });

  it('who never opted out answers with the word that opts in', async () => {
    const id = await open.draft([
      { id: 'hear', type: 'wait_for_reply', timeout: 'PT1H', next: 'end', on_timeout: 'end' },
      end,
    ]);

    const seen = await open.simulate(id, {
      message: 'Oi',
      replies: [{ after: 'PT5M', text: 'Voltar' }],
    });

    expect(seen.steps[0]?.output).toMatchObject({ answer: 'Voltar' });
  });

  it('is written to on the number that is named, also before the first message', async () => {
    const { id: free } = await aNumber(open.ctx);
    const id = await open.draft([say('hello', 'Oi!', 'end'), end]);

    const onFree = await open.simulate(id, { number_id: free });
    const onOldest = await open.simulate(id);

    expect(onFree.status).toBe('succeeded');
    expect(onOldest).toMatchObject({ status: 'failed', error: { code: 'out_of_window' } });
  });
});
