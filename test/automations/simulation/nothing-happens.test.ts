import { describe, expect, it } from '@jest/globals';
import { transact } from '../../../src/db/transact.ts';
import { everythingStored } from '../../support/everything-stored.ts';
import { opened } from '../../support/opened.ts';
import { conversation, end, openSimulating, say } from './support/simulating.ts';

const open = opened(openSimulating);

describe('what other servers answer', () => {
  const asking = [
    {
      id: 'stock',
      type: 'http_request',
      method: 'GET',
      url: 'https://example.com/stock',
      headers: {},
      body: null,
      timeout_seconds: 5,
      save_to: null,
      next: 'tell',
      on_error: 'sorry',
    },
    say('tell', 'Temos {{step.stock.body}}.', 'end'),
    say('sorry', 'Não sei agora.', 'end'),
    end,
  ];
  const answered = async (answers: object[]) => {
    const seen = await open.simulate(await open.draft(asking), { message: 'Tem bolo?', answers });
    return seen.steps.map(({ step_id, branch }) => [step_id, branch].join(' '));
  };

  it('is what the caller says, and nobody is asked', async () => {
    const step_id = 'stock';

    expect(await answered([{ step_id, status: 200, body: 'dois bolos' }])).toEqual([
      'stock next',
      'tell next',
      'end ',
    ]);
    const failures = [{ status: 503 }, { fails: true }];
    for (const failure of failures)
      expect(await answered([{ step_id, ...failure }])).toEqual([
        'stock on_error',
        'sorry next',
        'end ',
      ]);
  });
});

describe('what the AI answers', () => {
  it('is what the caller says, turn by turn', async () => {
    const id = await open.draft([
      {
        id: 'talk',
        type: 'ai_reply',
        goal: 'Marque uma visita.',
        max_turns: 4,
        next: 'end',
        on_handover: 'thanks',
      },
      say('thanks', 'Já vem alguém!', 'end'),
      end,
    ]);
    const step_id = 'talk';

    const seen = await open.simulate(id, {
      message: 'Oi',
      replies: [{ after: 'PT1M', text: 'quero um humano' }],
      answers: [
        { step_id, text: 'Oi! Quando quer vir?' },
        { step_id, tool: 'hand_over' },
      ],
    });

    expect(seen.conversation.map(({ direction, text }) => [direction, text])).toEqual([
      ['inbound', 'Oi'],
      ['outbound', 'Oi! Quando quer vir?'],
      ['inbound', 'quero um humano'],
      ['outbound', 'Já vem alguém!'],
    ]);
    expect(seen.steps.map(({ step_id, branch }) => [step_id, branch])).toEqual([
      ['talk', 'on_handover'],
      ['thanks', 'next'],
      ['end', null],
    ]);
  });
});

describe('a simulation', () => {
  it('keeps, sends and wakes nothing', async () => {
    const id = await open.draft([
      { id: 'mark', type: 'add_tag', tag: 'simulado', next: 'hello' },
      ...conversation,
    ]);
    const { ctx, woken } = open.heard();
    const before = await everythingStored(open.url);

    const seen = await open.simulate(
      id,
      { contact: { name: 'Zacarias' }, message: 'Oi', replies: [{ after: 'PT5M', text: 'sim' }] },
      ctx,
    );

    expect(seen.status).toBe('succeeded');
    expect(seen.steps).toHaveLength(6);
    expect(await everythingStored(open.url)).toEqual(before);
    expect(woken).toEqual([]);
  });

  it('leaves the transaction around it as it was', async () => {
    const id = await open.draft(conversation);
    const { ctx, woken } = open.heard();

    const left = await transact(ctx, async (tx) => {
      const before = await tx.sql.rows('select from contacts');
      const { status } = await open.simulate(id, { message: 'Oi' }, tx);
      const now = await tx.sql.rows('select from contacts');
      return { status, contacts: now.length - before.length, recorded: [...tx.recorded] };
    });

    expect(left).toEqual({ status: 'succeeded', contacts: 0, recorded: [] });
    expect(woken).toEqual([]);
  });
});
