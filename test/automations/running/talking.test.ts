import { describe, expect, it } from '@jest/globals';
import { aNumber } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play } from './support/scene.ts';

const stage = opened(openRunStage);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const AI = { id: 'a', type: 'ai_reply', goal: 'Sell.', next: 'end', on_handover: null };
const hello = { id: 'a', type: 'send_message', text: 'Olá!', next: 'end' };

describe('send_message', () => {
  it("writes into the run's conversation, which automation then handles", async () => {
    const scene = await aRunScene(stage);
    await scene.rows('update conversations set waiting_since = now()');
    const runId = await scene.start([
      { ...hello, next: 'w' },
      { id: 'w', type: 'wait', duration: 'P1D', next: 'end' },
    ]);

    await scene.advance(runId);

    const [message] = await scene.rows(
      `select m.conversation_id as "conversationId", m.source, m.run_id as "runId", m.status, o.message_id is not null as queued
       from messages m left join outgoing_messages o on o.message_id = m.id`,
    );
    const { conversationId } = scene;
    const expected = { conversationId, source: 'automation', runId, status: 'queued' };
    expect(message).toEqual({ ...expected, queued: true });
    const [output] = await scene.outputs(runId, 'a');
    expect(output).toEqual({ message_id: expect.stringMatching(/^msg_/) });
    expect(
      await scene.rows('select handled_by as by, waiting_since as since from conversations'),
    ).toEqual([{ by: 'automation', since: null }]);
  });

  it('goes to whoever has no phone but the second one that wrote', async () => {
    const scene = await aRunScene(stage);
    const said = async (): Promise<string[]> => {
      await play(scene, [hello]);
      return scene.said();
    };
    await scene.rows('delete from contact_identities');
    await scene.rows('update contacts set phone = null, phone_key = null');
    expect(await said()).toEqual([]);

    await scene.rows(
      `insert into contact_identities (organization_id, contact_id, type, value, created_at)
       select organization_id, id, 'phone', '+5511987650009', now() from contacts`,
    );
    await scene.rows(
      "update conversations set wrote_from = '+5511987650009', window_expires_at = now() + interval '1 hour'",
    );
    expect(await said()).toEqual(['Olá!']);
  });

  it('leaves a conversation with the member who has it', async () => {
    const scene = await aRunScene(stage);
    await scene.rows("update conversations set handled_by = 'member'");

    await play(scene, [hello]);

    expect(await scene.said()).toEqual(['Olá!']);
    expect(await scene.rows('select handled_by as by from conversations')).toEqual([
      { by: 'member' },
    ]);
  });

  it.each([
    { step: hello, skip: true, status: 'handed_over', said: [] },
    { step: AI, skip: true, status: 'handed_over', said: [] },
    { step: hello, skip: false, status: 'succeeded', said: ['Olá!'] },
  ])(
    'is left to people where one took over before the run had a conversation, unless its entry says otherwise: $step.type, $skip',
    async ({ step, skip, status, said }) => {
      const scene = await aRunScene(stage);
      const pause = { id: 'w', type: 'wait', duration: 'PT1H', next: 'a' };
      const entry = { skip_if_handled_by_member: skip };
      const automationId = await scene.publish([pause, step], [], { entry });
      const runId = await scene.begin(automationId, { conversationId: null });
      await scene.advance(runId);
      await scene.rows("update conversations set handled_by = 'member'");

      later(scene, HOUR_MS);
      await scene.advance(runId);

      expect(await scene.run(runId)).toMatchObject({ status });
      expect(await scene.said()).toEqual(said);
      const [talk] = await scene.rows('select handled_by as by from conversations');
      expect(talk).toEqual({ by: 'member' });
    },
  );

  it("goes to the contact's latest conversation when the run has none", async () => {
    const scene = await aRunScene(stage);
    await scene.hears('Oi');

    const { conversationId, status } = await play(scene, [hello], { conversationId: null });

    expect([status, conversationId]).toEqual(['succeeded', scene.conversationId]);
    expect(await scene.said()).toEqual(['Olá!']);
  });

  it('passes over a conversation whose number is gone, and begins one on the first that can send', async () => {
    const scene = await aRunScene(stage);
    await scene.rows("update numbers set status = 'disconnected'");
    const { id: second } = await aNumber(scene.ctx);
    await aNumber(scene.ctx);

    const { conversationId } = await play(scene, [hello], { conversationId: null });

    expect(
      await scene.rows(
        'select number_id as number, contact_id as contact from conversations where id = $1',
        conversationId,
      ),
    ).toEqual([{ number: second, contact: scene.contactId }]);
  });

  it('listens in the conversation that it has begun', async () => {
    const scene = await aRunScene(stage);
    const steps = [
      { id: 'q', type: 'ask', text: 'Seu nome?', timeout: 'P1D', next: 'a', on_timeout: 'end' },
      { ...hello, text: 'Oi {{step.q.answer}}' },
    ];

    const { runId, status } = await play(scene, steps, { conversationId: null });

    expect(status).toBe('waiting');
    await scene.hears('Zoe');
    await scene.advance(runId);
    expect(await scene.said()).toEqual(['Seu nome?', 'Oi Zoe']);
  });

  it('says nothing outside the window, which ends two minutes early', async () => {
    const scene = await aRunScene(stage, { number: { window: true } });
    await scene.hears('Oi');
    later(scene, 24 * HOUR_MS - 2 * MINUTE_MS - 1);
    expect((await play(scene, [hello])).status).toBe('succeeded');

    later(scene, 1);
    const { status, code } = await play(scene, [hello]);

    expect([status, code]).toEqual(['failed', 'out_of_window']);
    expect(await scene.said()).toHaveLength(1);
  });

  it.each([['opted_out'], ['blocked']])('never writes to a contact who is %s', async (flag) => {
    const scene = await aRunScene(stage);
    await scene.rows(`update contacts set ${flag} = true`);

    const { status, code, step } = await play(scene, [hello]);

    expect([status, code, step]).toEqual(['failed', 'send_failed', 'a']);
    expect(await scene.said()).toEqual([]);
  });

  it('waits an hour at most for its number, looking again', async () => {
    const scene = await aRunScene(stage);
    await scene.rows("update numbers set status = 'disconnected'");
    const returns = await scene.start([hello]);
    const gives = await scene.start([hello]);
    for (const id of [returns, gives]) {
      await scene.advance(id);
      expect(await scene.run(id)).toMatchObject({
        status: 'waiting',
        waitUntil: new Date(scene.now.getTime() + HOUR_MS),
      });
    }
    later(scene, 59 * MINUTE_MS);
    await scene.advance(gives);
    expect((await scene.run(gives)).status).toBe('waiting');

    await scene.rows("update numbers set status = 'degraded'");
    await scene.advance(returns);
    expect((await scene.run(returns)).status).toBe('succeeded');
    await scene.rows("update numbers set status = 'suspended'");
    later(scene, MINUTE_MS);
    await scene.advance(gives);

    expect(await scene.run(gives)).toMatchObject({ status: 'failed', code: 'number_unavailable' });
    expect(await scene.said()).toEqual(['Olá!']);
  });

  it('stops at the 21st automated message of a conversation within an hour', async () => {
    const scene = await aRunScene(stage);
    for (let n = 0; n < 20; n += 1) await play(scene, [hello]);

    const { status, code } = await play(scene, [hello]);
    expect([status, code]).toEqual(['failed', 'loop_detected']);
    expect(await scene.said()).toHaveLength(20);

    later(scene, HOUR_MS);
    expect((await play(scene, [hello])).status).toBe('succeeded');
  });
});
