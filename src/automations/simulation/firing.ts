import { AFTER_A_MESSAGE, type Trigger } from '../definition/triggers.ts';

const ANYTHING = '(Here the person would write.)';

/** What the person writes where the caller names nothing, and nothing but a message fires the trigger; otherwise null. */
export function firingMessage(trigger: Trigger): string | null {
  if (trigger.type === 'message_received') {
    const { match, keywords } = trigger;
    return (match === 'contains_all' ? keywords.join(' ') : keywords[0]) ?? ANYTHING;
  }
  const byMessage = AFTER_A_MESSAGE.has(trigger.type) && trigger.type !== 'conversation_opened';
  return byMessage ? ANYTHING : null;
}
