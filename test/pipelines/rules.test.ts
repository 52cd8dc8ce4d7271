import { describe, expect, it } from '@jest/globals';
import {
  MAX_STAGES,
  movedTo,
  NEW_DEAL,
  placeFor,
  type StageKind,
  stageProblems,
  standingIn,
} from '../../src/pipelines/rules.ts';

describe('the order of stages', () => {
  it.each<[StageKind[]]>([
    [['open']],
    [['open', 'open', 'won', 'lost']],
    [['open', 'lost', 'won', 'lost', 'won']],
    [Array<StageKind>(MAX_STAGES).fill('open')],
  ])('takes %j', (kinds) => {
    expect(stageProblems(kinds)).toEqual([]);
  });

  it.each<[StageKind[], string, string]>([
    [[], 'stages', 'open_stage'],
    [['won', 'lost'], 'stages', 'open_stage'],
    [['won', 'open'], 'stages[0].kind', 'stage_order'],
    [['open', 'lost', 'open', 'won'], 'stages[1].kind', 'stage_order'],
    [Array<StageKind>(MAX_STAGES + 1).fill('open'), 'stages', 'max_items'],
  ])('refuses %j at %s by the rule %s', (kinds, path, rule) => {
    expect(stageProblems(kinds)).toMatchObject([{ path, rule }]);
  });

  it('puts a new stage behind its own kind, so that the order stays right', () => {
    const kinds: StageKind[] = ['open', 'open', 'won'];

    for (const kind of ['open', 'won', 'lost'] as const) {
      const arranged = kinds.toSpliced(placeFor(kinds, kind), 0, kind);
      expect(stageProblems(arranged)).toEqual([]);
    }
    expect(placeFor(kinds, 'open')).toBe(2);
  });

  it('moves one item and keeps all others in their order', () => {
    expect(movedTo(['a', 'b', 'c'], 'c', 0)).toEqual(['c', 'a', 'b']);
    expect(movedTo(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c']);
    expect(movedTo(['a', 'b', 'c'], 'a', 99)).toEqual(['b', 'c', 'a']);
  });
});

describe('a deal that comes into a stage', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const earlier = new Date('2026-11-01T12:00:00Z');
  const lost = { status: 'lost', closedAt: earlier, lostReason: 'Preço' } as const;

  it('is closed by won and lost, and opened again by open', () => {
    expect(standingIn('won', NEW_DEAL, undefined, now)).toEqual({
      status: 'won',
      closedAt: now,
      lostReason: null,
    });
    expect(standingIn('lost', NEW_DEAL, 'Preço', now).lostReason).toBe('Preço');
    expect(standingIn('open', lost, undefined, now)).toEqual(NEW_DEAL);
  });

  it('keeps when and why it was lost from one lost stage to another, and not as a won one', () => {
    expect(standingIn('lost', lost, undefined, now)).toEqual(lost);
    expect(standingIn('won', lost, undefined, now)).toEqual({
      status: 'won',
      closedAt: now,
      lostReason: null,
    });
  });
});
