import { describe, expect, it } from '@jest/globals';
import { actOnHappening } from '../../../src/automations/running/listening/happenings.ts';
import { transact } from '../../../src/db/transact.ts';
import { recordUnheard, recordWritten } from '../../../src/outbox/happenings.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { later } from '../running/support/scene.ts';
import { callingScene, LEASE_MS } from './support/calling.ts';

const { open, as, begin, called, answer } = callingScene();

describe('a call of somebody else’s server', () => {
  const listen = { type: 'wait_for_reply', timeout: 'P1D', on_timeout: 'end' };
  const asksAndListens = (): Promise<string> =>
    begin([
      { ...listen, id: 'first', next: 'second' },
      { ...listen, id: 'second', next: 'end' },
    ]);

  async function hears(text: string): Promise<void> {
    const { contactId, conversationId } = open.scene;
    const messageId = await open.scene.hears(text);
    const written = { messageId, contactId, conversationId, campaignId: null };
    await transact(as(), (tx) =>
      recordWritten(tx, { ...written, opened: false, wroteBefore: true }),
    );
  }

  async function heedAll(order: 'asc' | 'desc' = 'asc'): Promise<void> {
    const kept = await open.scene.rows<{ id: string }>(
      `select id from automation_triggers order by id ${order}`,
    );
    for (const { id } of kept) {
      const { runs } = await transact(as(), (tx) => actOnHappening(tx, id, true));
      for (const { runId } of runs) await open.scene.advance(runId);
    }
  }

  const waiting = (): Promise<unknown[]> => open.scene.rows('select id from automation_triggers');
  const heard = async (runId: string): Promise<unknown[]> =>
    [
      ...(await open.scene.outputs(runId, 'first')),
      ...(await open.scene.outputs(runId, 'second')),
    ].flatMap((output) => (output as { answer: string } | null)?.answer ?? []);

  it.each([
    ['', 0],
    [', also when it took longer than messages wait', 121_000],
  ])(
    'loses no answer: what somebody writes meanwhile is heard at once by the waits behind it%s',
    async (_, ms) => {
      const runId = await asksAndListens();
      await called(runId);
      await hears('Aqui!');
      await hears('E aqui!');
      later(open.scene, ms);
      await heedAll();
      expect(await waiting()).toHaveLength(ms > 0 ? 0 : 2);

      if (ms === 0) later(open.scene, LEASE_MS);
      await answer(await called(runId));
      await open.scene.advance(runId, 'workflow');
      await heedAll();

      expect(await heard(runId)).toEqual(['Aqui!', 'E aqui!']);
      expect(await open.scene.run(runId)).toMatchObject({ status: 'succeeded' });
      expect(await waiting()).toEqual([]);
    },
  );

  it('takes no word by which somebody opts in meanwhile for an answer to what comes behind it', async () => {
    const runId = await asksAndListens();
    const call = await called(runId);
    const { conversationId } = open.scene;
    const messageId = await open.scene.hears('START');
    await transact(as(), (tx) => recordUnheard(tx, { messageId, conversationId }));

    await answer(call);
    await open.scene.advance(runId, 'workflow');
    await hears('Aqui!');
    await heedAll();

    expect(await heard(runId)).toEqual(['Aqui!']);
    expect(await open.scene.run(runId)).toMatchObject({ status: 'waiting', step: 'second' });
  });

  it('that took longer than messages wait leaves those to what they have started', async () => {
    const runId = await asksAndListens();
    await anActiveAutomation(open.scene.ctx, { steps: [{ id: 'end', type: 'end' }] });
    await called(runId);
    await hears('Oi?');
    later(open.scene, 121_000);
    await heedAll();

    await answer(await called(runId));
    await open.scene.advance(runId, 'workflow');
    expect(await open.scene.run(runId)).toMatchObject({ status: 'waiting', step: 'first' });
    await hears('Aqui!');
    await heedAll();

    expect(await heard(runId)).toEqual(['Aqui!']);
  });

  it('keeps what waited for it in its order, whichever is due first', async () => {
    const words = ['preço', 'horário'];
    for (const name of words)
      await anActiveAutomation(open.scene.ctx, {
        name,
        steps: [{ id: 'end', type: 'end' }],
        trigger: { type: 'message_received', match: 'equals', keywords: [name] },
      });
    const runId = await begin();
    await called(runId);
    for (const word of words) await hears(word);
    await heedAll();
    later(open.scene, LEASE_MS);
    await answer(await called(runId));
    await open.scene.advance(runId, 'workflow');

    await heedAll('desc');
    await heedAll();

    const started = await open.scene.rows(
      `select a.name from automation_runs r join automations a on a.id = r.automation_id
       where r.message_id is not null order by r.id`,
    );
    expect(started).toEqual(words.map((name) => ({ name })));
  });

  const waits = { timeout: 'P1D', next: 'end', on_timeout: 'end' };
  it.each([
    ['a question', [{ id: 'name', type: 'ask', text: 'Seu nome?', expects: 'text', ...waits }]],
    [
      'a wait behind a message of ours',
      [
        { id: 'say', type: 'send_message', text: 'Seu nome?', next: 'name' },
        { id: 'name', type: 'wait_for_reply', ...waits },
      ],
    ],
  ])('brings %s no answer that was written before that was sent', async (_, behind) => {
    const runId = await begin(behind);
    await called(runId);
    await hears('Alguém aí?');
    later(open.scene, LEASE_MS);

    await answer(await called(runId));
    await open.scene.advance(runId, 'workflow');
    await heedAll();
    expect(await open.scene.run(runId)).toMatchObject({ status: 'waiting', step: 'name' });
    expect(await waiting()).toEqual([]);
    await hears('Ana');
    await heedAll();

    expect(await open.scene.said()).toEqual(['Seu nome?']);
    expect(await open.scene.outputs(runId, 'name')).toEqual([{ answer: 'Ana', timed_out: false }]);
  });
});
