import { queueMessage } from '../../../conversations/outgoing.ts';
import { durationMs } from '../../rules.ts';
import type { AtStep, Effects, Outcome } from '../effect.ts';

/** Steps that say something or listen. */
export const talking = {
  send_message: {
    enter: async (at) => {
      if (at.run.conversationId === null) return nowhere;
      await say(at, at.run.conversationId, at.step.text);
      return { kind: 'next', to: at.step.next };
    },
  },
  wait_for_reply: {
    enter: ({ tx, step }) => ({
      kind: 'wait',
      for: 'reply',
      until: new Date(tx.now.getTime() + (durationMs(step.timeout) ?? 0)),
    }),
    wake: ({ step }, wake) =>
      wake.by === 'reply'
        ? { kind: 'next', to: step.next, output: { answer: wake.message.text, timed_out: false } }
        : { kind: 'next', to: step.on_timeout, output: { timed_out: true } },
  },
} satisfies Effects;

const nowhere: Outcome = {
  kind: 'fail',
  code: 'send_failed',
  message: 'The run has no conversation to talk in.',
};

async function say({ tx, run }: AtStep, conversationId: string, text: string): Promise<void> {
  await queueMessage(tx, {
    conversationId,
    source: 'automation',
    text,
    automationId: run.automationId,
    runId: run.id,
  });
}
