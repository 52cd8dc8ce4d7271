import { createHash } from 'node:crypto';

interface Way {
  readonly weight: number;
  readonly next: string | null;
}

const BYTES = 6;

/** From 0 up to 1, as even as SHA-256. */
const drawOf = (words: string): number =>
  createHash('sha256').update(words).digest().readUIntBE(0, BYTES) / 256 ** BYTES;

/** One of the ways by their weights, always the same one for the same words. */
export function drawnWay(ways: readonly Way[], words: string): string | null {
  const total = ways.reduce((sum, { weight }) => sum + weight, 0);
  let left = drawOf(words) * total;
  for (const { weight, next } of ways) {
    if (left < weight) return next;
    left -= weight;
  }
  return ways.at(-1)?.next ?? null;
}
