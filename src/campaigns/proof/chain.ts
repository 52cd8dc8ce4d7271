import { createHash } from 'node:crypto';
import { EXCLUSIONS, type Exclusion } from '../rules.ts';

/** The outcome of a recipient: read and delivered count as `sent`, so that later receipts do not change a proof. */
export const OUTCOMES = ['sent', 'failed', 'skipped', 'unconfirmed', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface ProofLine {
  /** `rcp_…`; lines are sorted by these ids. */
  readonly recipient_id: string;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly message_id: string | null;
  readonly settled_at: string | null;
}

export type ChainedLine = ProofLine & { readonly hash: string };

/** What the first line is chained to: the frozen audience. `total` is the sum of `eligible` and all of `excluded`. */
export interface ProofBeginning {
  readonly campaign_id: string;
  readonly total: number;
  readonly eligible: number;
  readonly excluded: Readonly<Record<Exclusion, number>>;
  readonly frozen_at: string | null;
}

/** The end of a proof: the hash of its last line, and how many lines have each outcome. */
export interface ProofEnding {
  readonly head: string;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** The input of the first hash: the frozen audience as one line of text. */
export const beginningOf = (beginning: ProofBeginning): string => {
  const { campaign_id, total, eligible, excluded, frozen_at } = beginning;
  // Reasons that apply to no one are left out, so that adding a reason later changes no proof.
  const reasons = EXCLUSIONS.flatMap((reason) =>
    excluded[reason] ? [`${reason}=${excluded[reason]}`] : [],
  );
  return [campaign_id, total, eligible, reasons.join(','), frozen_at ?? ''].join('|');
};

const textOf = (line: ProofLine): string =>
  [line.recipient_id, line.outcome, line.reason, line.message_id, line.settled_at]
    .map((value) => value ?? '')
    .join('|');

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The hash before any line, hexadecimal. */
export const firstLink = (beginning: ProofBeginning): string =>
  sha256(beginningOf(beginning)).toString('hex');

/** Each line's hash covers the one before it, so that no line can be changed, removed or inserted unnoticed. */
export const nextLink = (previous: string, line: ProofLine): string =>
  sha256(Buffer.from(previous, 'hex'), textOf(line)).toString('hex');

export const noOutcomes = (): Record<Outcome, number> => ({
  sent: 0,
  failed: 0,
  skipped: 0,
  unconfirmed: 0,
  cancelled: 0,
});
