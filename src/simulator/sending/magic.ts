import { isErrorCode } from '../graph-errors.ts';

interface Step {
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** Milliseconds after the answer to the send. */
  afterMs: number;
  errorCode?: number;
}

/** What will happen to an accepted message, and what the person replies, if anything. */
export interface Fate {
  steps: readonly Step[];
  /** Answered as held back, until the first step. */
  held?: true;
  reply?: { text: string; afterMs: number };
}

type Verdict =
  | { kind: 'refuse'; code: number }
  | { kind: 'disconnect' }
  | { kind: 'throttle'; times: number; afterwards: Fate }
  | { kind: 'accept'; fate: Fate };

const DELIVERED: Fate = {
  steps: [
    { status: 'sent', afterMs: 0 },
    { status: 'delivered', afterMs: 60 },
  ],
};
const READ: Fate = { steps: [...DELIVERED.steps, { status: 'read', afterMs: 120 }] };
const LATE: Fate = {
  steps: [
    { status: 'sent', afterMs: 20_000 },
    { status: 'delivered', afterMs: 20_060 },
  ],
};
const HELD_MS = 2_000;
const TEMPLATE_PAUSED = 132015;

const NAMED: Readonly<Record<string, Verdict>> = {
  '0900001': { kind: 'accept', fate: DELIVERED },
  '0900002': { kind: 'accept', fate: READ },
  '0900003': { kind: 'throttle', times: 2, afterwards: DELIVERED },
  '0900004': { kind: 'accept', fate: LATE },
  '0900005': {
    kind: 'accept',
    fate: { ...READ, reply: { text: 'Thanks, I got your message!', afterMs: 240 } },
  },
  '0900006': { kind: 'accept', fate: { ...READ, reply: { text: 'STOP', afterMs: 240 } } },
  '0900007': { kind: 'disconnect' },
  '0900008': {
    kind: 'accept',
    fate: {
      held: true,
      steps: DELIVERED.steps.map((step) => ({ ...step, afterMs: HELD_MS + step.afterMs })),
    },
  },
  '0900009': {
    kind: 'accept',
    fate: {
      held: true,
      steps: [{ status: 'failed', afterMs: HELD_MS, errorCode: TEMPLATE_PAUSED }],
    },
  },
};

/**
 * What happens to a recipient, by the last seven digits, as `page/phone.html` lists them. Digits that are not a known
 * error code belong to an ordinary person: most numbers ending in 0000123 are simply delivered to.
 */
export function verdictFor(to: string): Verdict {
  const lastSeven = /(\d)(\d{6})$/.exec(to);
  if (!lastSeven) return { kind: 'accept', fate: DELIVERED };
  const named = NAMED[lastSeven[0]];
  if (named) return named;
  const code = Number(lastSeven[2]);
  if (!isErrorCode(code)) return { kind: 'accept', fate: DELIVERED };
  if (lastSeven[1] === '0') return { kind: 'refuse', code };
  if (lastSeven[1] !== '1') return { kind: 'accept', fate: DELIVERED };
  return {
    kind: 'accept',
    fate: { steps: [{ status: 'failed', afterMs: 60, errorCode: code }] },
  };
}

/** What becomes of a message to them that was accepted. */
export function fateOf(to: string): Fate {
  const verdict = verdictFor(to);
  if (verdict.kind === 'accept') return verdict.fate;
  return verdict.kind === 'throttle' ? verdict.afterwards : DELIVERED;
}
