import { durationMs } from '../../rules.ts';
import type { Effects } from '../effect.ts';

/** Steps that decide what comes next, and when. */
export const flow = {
  wait: {
    enter: ({ tx, step }) => {
      const ms = durationMs(step.duration ?? 'PT0S') ?? 0;
      return { kind: 'wait', for: 'time', until: new Date(tx.now.getTime() + ms) };
    },
    wake: ({ step }) => ({ kind: 'next', to: step.next }),
  },
  end: { enter: () => ({ kind: 'end', status: 'succeeded' }) },
} satisfies Effects;
