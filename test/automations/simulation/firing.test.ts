import { beforeAll, describe, expect, it } from '@jest/globals';
import { type APipeline, aPipeline } from '../../support/factories/pipelines.ts';
import { opened } from '../../support/opened.ts';
import { end, openSimulating, say } from './support/simulating.ts';

const open = opened(openSimulating);
let sales: APipeline;
beforeAll(async () => {
  sales = await aPipeline(open.ctx, 'Vendas');
});

/** Whether the condition holds when the run begins. */
async function holds(trigger: object, when: object, body: object = {}): Promise<boolean> {
  const asked = { id: 'ask', type: 'branch', cases: [{ when, next: 'yes' }], else: 'end' };
  const id = await open.draft([asked, { id: 'yes', type: 'end' }, end], trigger);
  const { steps } = await open.simulate(id, body);
  return steps[0]?.branch === 'cases[0].next';
}

const is = (field: string, value: unknown) => ({ field, op: 'eq', value });
const inStage = (stage: string) => ({
  field: 'stage',
  op: 'has_any',
  value: [sales.stages[stage]],
});

describe('what fires the trigger has happened to the person of a simulation', () => {
  it('a tag: one of them, unless the caller gave it one', async () => {
    const tagged = { type: 'tag_added', tags: ['vip', 'lead'] };
    const has = (tag: string) => ({ field: 'tag', op: 'has_any', value: [tag] });

    expect(await holds(tagged, has('vip'))).toBe(true);
    const contact = { tags: ['Lead', 'novo'] };
    expect(await holds(tagged, { all: [has('lead'), has('novo')] }, { contact })).toBe(true);
    expect(await holds(tagged, has('vip'), { contact })).toBe(false);
  });

  it.each([
    ['custom.plan', 'gold'],
    ['name', 'Bia'],
    ['email', 'bia@loja.com.br'],
    ['language', 'pt-BR'],
  ])('a field: %s is as the trigger says, unless the caller gave it', async (field, to) => {
    const trigger = { type: 'field_changed', field, to };
    const contact = {
      name: 'Zoe',
      email: 'zoe@loja.com.br',
      language: 'en',
      custom: { plan: 'x' },
    };

    expect(await holds(trigger, is(field, to))).toBe(true);
    expect(await holds({ ...trigger, to: null }, { field, op: 'empty' })).toBe(true);
    expect(await holds(trigger, is(field, to), { contact })).toBe(false);
  });

  it('no field that cannot hold what the trigger asks for', async () => {
    const trigger = { type: 'field_changed', field: 'birth_date', to: '2999-01-01' };

    expect(await holds(trigger, { field: 'birth_date', op: 'empty' })).toBe(true);
  });

  it('a stage: the first that is named, or that there is', async () => {
    const trigger = { type: 'stage_changed', pipeline_id: sales.id };
    const won = { ...trigger, stage_ids: [sales.stages['Ganho'], sales.stages['Novo']] };

    expect(await holds(trigger, inStage('Novo'))).toBe(true);
    expect(await holds(won, inStage('Ganho'))).toBe(true);
    expect(await holds({ type: 'stage_changed' }, inStage('Novo'))).toBe(true);
  });

  it('a deal that the steps move', async () => {
    const move = { id: 'move', type: 'move_stage', stage_id: sales.stages['Ganho'], next: 'end' };
    const id = await open.draft([move, end], { type: 'stage_changed', pipeline_id: sales.id });

    const { steps } = await open.simulate(id);

    expect(steps[0]?.output).toEqual({ deal_id: expect.any(String) });
  });

  it.each([
    ['import', 'import'],
    ['api', 'import'],
    ['campaign', 'campaign'],
    ['member', 'team'],
    ['form', 'form'],
    ['message', 'direct'],
  ])('a way in: who was created via %s is of the origin %s', async (via, origin) => {
    const trigger = { type: 'contact_created', created_via: [via] };

    expect(await holds(trigger, is('origin', origin))).toBe(true);
    expect(await holds(trigger, is('origin', origin), { message: 'Oi' })).toBe(true);
  });
});

describe('the first message of a simulation', () => {
  const answer = [say('hello', 'Você disse {{message.text|nada}}', 'end'), end];
  const said = async (trigger: object, body: object = {}): Promise<string[]> => {
    const { conversation } = await open.simulate(await open.draft(answer, trigger), body);
    return conversation.map(({ text }) => text);
  };

  it.each([
    [{ type: 'message_received' }, '(Here the person would write.)'],
    [{ type: 'first_message' }, '(Here the person would write.)'],
    [{ type: 'campaign_replied' }, '(Here the person would write.)'],
    [{ type: 'message_received', match: 'equals', keywords: ['oi', 'olá'] }, 'oi'],
    [{ type: 'message_received', match: 'contains_all', keywords: ['bolo', 'já'] }, 'bolo já'],
  ])('is made up where nothing else fires the trigger: %j', async (trigger, message) => {
    expect(await said(trigger)).toEqual([message, `Você disse ${message}`]);
    expect(await said(trigger, { message: 'Bom dia' })).toEqual(['Bom dia', 'Você disse Bom dia']);
  });

  it('begins the run where one opens the conversation, but need not', async () => {
    const trigger = { type: 'conversation_opened' };

    expect(await said(trigger, { message: 'Oi' })).toEqual(['Oi', 'Você disse Oi']);
    expect(await said(trigger)).toEqual([]);
  });

  it('was written before where something else fires the trigger, and is not what the run is about', async () => {
    const tagged = { type: 'tag_added', tags: ['vip'] };
    const onNumber = { field: 'conversation.number_id', op: 'not_empty' };

    expect(await said(tagged, { message: 'Oi' })).toEqual(['Oi', 'Você disse nada']);
    expect(await said(tagged)).toEqual([]);
    expect(await holds(tagged, onNumber, { message: 'Oi' })).toBe(false);
    const over = { field: 'conversation.status', op: 'has_any', value: ['closed'] };
    expect(await holds({ type: 'conversation_closed' }, over, { message: 'Oi' })).toBe(true);
  });
});
