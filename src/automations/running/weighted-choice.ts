import { createHash } from 'node:crypto';

interface Way {
  readonly weight: number;
  readonly next: string | null;
}

const BYTES = 6;

/** A number from 0 up to 1, as evenly distributed as SHA-256. */
const drawOf = (words: string): number =>
  createHash('sha256').update(words).digest().readUIntBE(0, BYTES) / 256 ** BYTES;

/** Picks one of the ways by weight, always the same one for the same words. */
export function drawnWay(ways: readonly Way[], words: string): string | null {
  const total = ways.reduce((sum, { weight }) => sum + weight, 0);
  let left = drawOf(words) * total;
  for (const { weight, next } of ways) {
    if (left < weight) return next;
    left -= weight;
  }
  return ways.at(-1)?.next ?? null;
}
