import { describe, expect, it } from '@jest/globals';
import { updateNumber } from '../../../src/numbers/changing.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { opened } from '../../support/opened.ts';
import { end, openSimulating, say } from './support/simulating.ts';

const open = opened(openSimulating);

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
    const id = await open.draft([say('hello', 'Oi!', 'end'), end], { type: 'manual' });

    const onFree = await open.simulate(id, { number_id: free });
    const onOldest = await open.simulate(id);

    expect(onFree.status).toBe('succeeded');
    expect(onOldest).toMatchObject({ status: 'failed', error: { code: 'out_of_window' } });
  });

  it('is not written to on a number that is not there, as nobody else is', async () => {
    const id = await open.draft([end], { type: 'manual' });

    await expect(open.simulate(id, { number_id: 'num_none' })).rejects.toMatchObject({
      code: 'unknown_number',
      details: { number_id: 'num_none' },
    });
  });

  const asking = (when: object, ...before: object[]) => [
    ...before,
    { id: 'ask', type: 'branch', cases: [{ when, next: 'yes' }], else: 'end' },
    { id: 'yes', type: 'end' },
    end,
  ];
  const isTrue = async (id: string, body: object) =>
    (await open.simulate(id, body)).steps.find(({ step_id }) => step_id === 'ask')?.branch ===
    'cases[0].next';

  it('is written to on the first number that the trigger names, not on the oldest of them', async () => {
    const older = (await aNumber(open.ctx)).id;
    const newer = (await aNumber(open.ctx)).id;
    const onNewer = { field: 'conversation.number_id', op: 'eq', value: newer };
    const opening = { type: 'conversation_opened', number_ids: [newer, older] };
    const id = await open.draft(asking(onNewer), opening);

    expect(await isTrue(id, {})).toBe(true);
  });

  it('who writes has written, and came by writing; others came as their trigger says', async () => {
    const wrote = { field: 'last_inbound_at', op: 'in_last', value: 'P1D' };
    const from = (origin: string) => ({ field: 'origin', op: 'eq', value: origin });
    const direct = await open.draft(asking({ all: [wrote, from('direct')] }));
    const late = { id: 'rest', type: 'wait', duration: 'P3D', next: 'ask' };
    const again = await open.draft(asking(wrote, late));
    const form = await open.draft(asking(from('form')), { type: 'form_submitted' });
    const byHand = await open.draft(asking({ not: wrote }), { type: 'manual' });

    expect(await isTrue(direct, { message: 'Oi' })).toBe(true);
    expect(await isTrue(again, { message: 'Oi' })).toBe(false);
    expect(
      await isTrue(again, { message: 'Oi', replies: [{ after: 'PT60H', text: 'Alô?' }] }),
    ).toBe(true);
    expect(await isTrue(form, {})).toBe(true);
    expect(await isTrue(byHand, {})).toBe(true);
  });

  it('who is new to a number has the deal in which the number places newcomers', async () => {
    const { stages } = await aPipeline(open.ctx, 'Chegadas');
    const stage = stages['Novo'];
    const { id: number_id } = await aNumber(open.ctx);
    await updateNumber(open.ctx, number_id, { stage_id: stage });
    const placed = { field: 'stage', op: 'has_any', value: [stage] };
    const id = await open.draft(asking(placed), { type: 'manual' });

    expect(await isTrue(id, { number_id, message: 'Oi' })).toBe(true);
    expect(await isTrue(id, { number_id })).toBe(false);
  });

  it('has a conversation where the trigger is something that happens in one', async () => {
    const closed = { field: 'conversation.status', op: 'has_any', value: ['closed'] };
    const onNumber = { field: 'conversation.number_id', op: 'not_empty', value: null };
    const silent = await open.draft(asking({ all: [onNumber, { not: closed }] }), {
      type: 'no_reply',
      after: 'P1D',
    });
    const over = await open.draft(asking({ all: [onNumber, closed] }), {
      type: 'conversation_closed',
    });
    const tagged = await open.draft(asking(onNumber), { type: 'tag_added', tags: ['vip'] });

    expect([await isTrue(silent, {}), await isTrue(over, {}), await isTrue(tagged, {})]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('was written to once a message had the time to leave', async () => {
    const told = { field: 'last_outbound_at', op: 'in_last', value: 'P1D' };
    const later = await open.draft(
      asking(told, say('hello', 'Oi!', 'rest'), {
        id: 'rest',
        type: 'wait',
        duration: 'PT1H',
        next: 'ask',
      }),
    );
    const never = await open.draft(asking(told));

    expect(await isTrue(later, { message: 'Oi' })).toBe(true);
    expect(await isTrue(never, { message: 'Oi' })).toBe(false);
  });
});
