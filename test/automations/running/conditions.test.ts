import { beforeEach, describe, expect, it } from '@jest/globals';
import { rules as rulesSchema } from '../../../src/automations/definition/conditions.ts';
import { holds, type Subject } from '../../../src/automations/running/conditions/conditions.ts';
import { transact } from '../../../src/db/transact.ts';
import type { Rules } from '../../../src/segments/rules.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, type RunScene } from './support/scene.ts';

let scene: RunScene;

const stage = opened(openRunStage);
beforeEach(async () => {
  scene = await aRunScene(stage, {
    contact: { name: 'Ana Souza', tags: ['VIP'], custom: { city: 'Recife', age: 42 } },
  });
});

const subject = (rest: Partial<Subject> = {}): Subject => ({
  contactId: scene.contactId,
  conversationId: scene.conversationId,
  messageId: null,
  runId: null,
  ...rest,
});

/** Rules as somebody wrote them: they must be of the language. */
const ask = (rules: unknown, rest: Partial<Subject> = {}): Promise<boolean> =>
  transact({ ...scene.ctx, now: scene.now }, (tx) =>
    holds(tx, subject(rest), rulesSchema.parse(rules) as Rules),
  );

const vip = { field: 'tag', op: 'has_any', value: ['vip'] };
const text = (op: string, value?: unknown) => ({ field: 'message.text', op, value });

describe('conditions of a run', () => {
  it.each([
    [vip, true],
    [{ not: vip }, false],
    [{ field: 'custom.city', op: 'eq', value: 'recife' }, true],
    [{ field: 'custom.age', op: 'gt', value: 50 }, false],
    [{ field: 'opted_out', op: 'is', value: false }, true],
    [{ all: [vip, { field: 'name', op: 'starts_with', value: 'ana' }] }, true],
    [{ all: [vip, { field: 'name', op: 'eq', value: 'Zoe' }] }, false],
    [{ any: [{ not: vip }, { field: 'email', op: 'empty' }] }, true],
  ])('ask of the contact what a segment asks: %j', async (rules, expected) => {
    expect(await ask(rules)).toBe(expected);
  });

  it.each([
    [text('contains', 'PREÇO'), true],
    [text('eq', 'qual o preço?'), true],
    [text('starts_with', 'preço'), false],
    [text('in', ['oi', 'QUAL O PREÇO?']), true],
    [text('neq', 'oi'), true],
    [text('not_empty'), true],
    [text('empty'), false],
    [{ field: 'message.type', op: 'eq', value: 'text' }, true],
    [{ field: 'message.type', op: 'in', value: ['image', 'audio'] }, false],
    [{ field: 'message.type', op: 'neq', value: 'reaction' }, true],
    [{ field: 'message.type', op: 'eq', value: 'unsupported' }, false],
    [{ all: [vip, text('contains', 'preço')] }, true],
    [{ all: [{ not: vip }, text('contains', 'preço')] }, false],
    [{ any: [{ not: vip }, { not: text('contains', 'oi') }] }, true],
  ])('ask of the message without regard to case: %j', async (rules, expected) => {
    const messageId = await scene.hears('Qual o preço?');
    expect(await ask(rules, { messageId })).toBe(expected);
  });

  it.each([
    [text('eq', 'oi'), false],
    [text('neq', 'oi'), true],
    [text('empty'), true],
    [{ field: 'step.q.answer', op: 'contains', value: 'sim' }, false],
    [{ field: 'step.q.timed_out', op: 'is', value: false }, true],
    [{ field: 'step.q.turns', op: 'gte', value: 0 }, false],
  ])('find nothing where nothing is: %j', async (rules, expected) => {
    expect(await ask(rules)).toBe(expected);
  });

  it('ask of the conversation as it is now', async () => {
    const { rows, conversationId, numberId } = scene;
    const number = { field: 'conversation.number_id', op: 'eq', value: numberId };
    expect(await ask(number)).toBe(true);
    expect(await ask(number, { conversationId: null })).toBe(false);
    expect(await ask({ field: 'conversation.member_id', op: 'empty' })).toBe(true);
    const byMember = { field: 'conversation.handled_by', op: 'eq', value: 'member' };
    expect(await ask(byMember)).toBe(false);

    await rows("update conversations set handled_by = 'member' where id = $1", conversationId);

    expect(await ask(byMember)).toBe(true);
  });

  it("know the number's hours in the workspace's zone", async () => {
    const open = { field: 'now.in_hours', op: 'is', value: true };
    expect(await ask(open)).toBe(true);
    const day = { open: true, from: '10:00', to: '18:00' };
    const week = JSON.stringify(Array.from({ length: 7 }, () => day));
    await scene.rows('update numbers set hours = $1::jsonb', week);
    // It is nine o'clock in São Paulo.
    expect(await ask(open)).toBe(false);
    expect(await ask({ not: open })).toBe(true);

    scene.now = new Date('2026-11-21T13:00:00.000Z');

    expect(await ask(open)).toBe(true);
  });

  it('read what a step left the last time that it was taken', async () => {
    const runId = await scene.start([]);
    const insert = `insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, output, started_at)
      values ($1, $2, $3, 'q', 'ask', 'succeeded', $4, now())`;
    const { organizationId } = scene.ctx;
    const outputs = [
      { answer: 'sim', timed_out: false },
      { answer: 'Não', turns: 3, timed_out: false },
    ];
    for (const [index, output] of outputs.entries())
      await scene.rows(insert, organizationId, runId, index + 1, JSON.stringify(output));

    const q = (output: string, op: string, value: unknown) =>
      ask({ field: `step.q.${output}`, op, value }, { runId });

    expect(await q('answer', 'contains', 'não')).toBe(true);
    expect(await q('answer', 'eq', 'sim')).toBe(false);
    expect(await q('timed_out', 'is', false)).toBe(true);
    expect(await q('turns', 'between', [2, 3])).toBe(true);
    expect(await q('turns', 'lt', 3)).toBe(false);
    expect(await q('turns', 'lte', 3)).toBe(true);
  });

  it('hold for nobody who is gone, unless nothing is asked of the contact', async () => {
    expect(await ask({ not: vip }, { contactId: null })).toBe(false);
    expect(await ask({ not: vip }, { contactId: 'con_gone' })).toBe(false);
    expect(await ask({ field: 'now.in_hours', op: 'is', value: true }, { contactId: null })).toBe(
      true,
    );
  });
});
