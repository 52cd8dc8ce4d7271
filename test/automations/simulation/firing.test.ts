import { describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { end, openSimulating, say } from './support/simulating.ts';

const open = opened(openSimulating);

/** Whether the condition holds when the run begins. */
async function holds(trigger: object, when: object, body: object = {}): Promise<boolean> {
  const asked = { id: 'ask', type: 'branch', cases: [{ when, next: 'yes' }], else: 'end' };
  const id = await open.draft([asked, { id: 'yes', type: 'end' }, end], trigger);
  const { steps } = await open.simulate(id, body);
  return steps[0]?.branch === 'cases[0].next';
}

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
