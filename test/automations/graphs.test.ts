import { describe, expect, it } from '@jest/globals';
import { issues } from './support/definitions.ts';

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface Node {
  readonly id: string;
  readonly waits: boolean;
  readonly to: readonly string[];
}

/** Any graph of up to twelve steps, some of which wait. */
function aGraph(seed: number): Node[] {
  const below = random(seed);
  const size = 1 + below(12);
  return Array.from({ length: size }, (_, index) => ({
    id: `s${index}`,
    waits: below(4) === 0,
    to: Array.from({ length: 2 }, () => `s${below(size)}`),
  }));
}

const asStep = ({ id, waits, to: [first, second] }: Node) =>
  waits
    ? { id, type: 'wait_for_reply', timeout: 'PT1H', next: first, on_timeout: second }
    : {
        id,
        type: 'split',
        branches: [
          { weight: 1, next: first },
          { weight: 1, next: second },
        ],
      };

/** Whether a walk of `steps` steps from here can come round without waiting: by brute force. */
function comesRound(nodes: readonly Node[], start: Node): boolean {
  let at = new Set([start.id]);
  for (let taken = 0; taken < nodes.length; taken += 1) {
    const walked = nodes.filter(({ id, waits }) => at.has(id) && !waits);
    at = new Set(walked.flatMap(({ to }) => to));
    if (at.has(start.id)) return true;
  }
  return false;
}

/** What walks from the first step come to, by brute force. */
function reachedFrom(nodes: readonly Node[]): Set<string> {
  const reached = new Set(['s0']);
  for (const _ of nodes)
    for (const { to } of nodes.filter(({ id }) => reached.has(id)))
      for (const next of to) reached.add(next);
  return reached;
}

describe('any graph of steps', () => {
  const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

  it('is told to loop exactly when some walk comes back without a wait', () => {
    for (const seed of seeds) {
      const nodes = aGraph(seed);
      const loops = issues(nodes.map(asStep)).filter((issue) =>
        issue.includes('loop_without_wait'),
      );

      const expected = nodes.some((node) => comesRound(nodes, node));
      expect([seed, loops.length > 0]).toEqual([seed, expected]);
      for (const issue of loops) {
        const node = nodes.find(({ id }) => issue.startsWith(`${id} `));
        expect(node && comesRound(nodes, node)).toBe(true);
      }
    }
  });

  it('has exactly those steps unreached that no walk from the first comes to', () => {
    for (const seed of seeds) {
      const nodes = aGraph(seed);
      const unreached = issues(nodes.map(asStep))
        .filter((issue) => issue.includes('unreachable_step'))
        .map((issue) => issue.split(' ')[0]);

      const expected = nodes.map(({ id }) => id).filter((id) => !reachedFrom(nodes).has(id));
      expect([seed, unreached]).toEqual([seed, expected]);
    }
  });
});
