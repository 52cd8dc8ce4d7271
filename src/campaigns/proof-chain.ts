import { createHash } from 'node:crypto';

/** What became of one recipient: read and delivered are `sent`, so that a proof does not age with receipts. */
export const OUTCOMES = ['sent', 'failed', 'skipped', 'unconfirmed', 'cancelled'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface ProofLine {
  /** `rcp_…`; lines are in the order of these ids. */
  readonly recipient_id: string;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly message_id: string | null;
  readonly settled_at: string | null;
}

/** What the first line is chained to: the frozen audience. */
export interface ProofBeginning {
  readonly campaign_id: string;
  readonly total: number;
  readonly eligible: number;
  readonly frozen_at: string | null;
}

export const beginningOf = ({ campaign_id, total, eligible, frozen_at }: ProofBeginning): string =>
  [campaign_id, total, eligible, frozen_at ?? ''].join('|');

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

/** Each line's hash covers the one before it: none can be changed, left out or slipped in unnoticed. */
export const nextLink = (previous: string, line: ProofLine): string =>
  sha256(Buffer.from(previous, 'hex'), textOf(line)).toString('hex');

/** Whether these are all the lines, as they were, of the campaign that has this head. */
export function verifyProof(
  beginning: ProofBeginning,
  lines: readonly (ProofLine & { readonly hash: string })[],
  head: string,
): boolean {
  let link = firstLink(beginning);
  for (const line of lines) {
    link = nextLink(link, line);
    if (link !== line.hash) return false;
  }
  return lines.length === beginning.eligible && link === head;
}
