import type { FieldProblem } from '../errors.ts';

/** The kinds of stages (design decisions §2). A deal's status mirrors the kind of its stage. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const;

/** What being in the stage means for a deal. A pipeline has at least one open stage. */
export type StageKind = (typeof STAGE_KINDS)[number];

export const MAX_STAGES = 50;

/**
 * The problems with stages in this order (design decisions §2): there must be 1 to 50, at least one of them open, and
 * open stages must come before those that end a deal.
 */
export function stageProblems(kinds: readonly StageKind[]): FieldProblem[] {
  if (kinds.length > MAX_STAGES) {
    const message = `Must be at most ${MAX_STAGES} stages.`;
    return [{ path: 'stages', rule: 'max_items', limit: MAX_STAGES, message }];
  }
  const lastOpen = kinds.lastIndexOf('open');
  if (lastOpen === -1) {
    const message = 'Give at least one stage of the kind open.';
    return [{ path: 'stages', rule: 'open_stage', message }];
  }
  return kinds.flatMap((kind, position) => {
    if (kind === 'open' || position > lastOpen) return [];
    const message = `A ${kind} stage must come after all open ones.`;
    return [{ path: `stages[${position}].kind`, rule: 'stage_order', message }];
  });
}

/** The list with one item moved to another position; a position beyond the end means the end. */
export function movedTo<T>(items: readonly T[], item: T, position: number): T[] {
  const others = items.filter((other) => other !== item);
  return others.toSpliced(position, 0, item);
}

/** The position of a new stage that names none: after the others of its kind, so that the order stays valid. */
export const placeFor = (kinds: readonly StageKind[], kind: StageKind): number =>
  kind === 'open' ? kinds.lastIndexOf('open') + 1 : kinds.length;

/** The part of a deal that a move changes. The caller gives the time; it is null for open deals. */
export interface Standing {
  readonly status: StageKind;
  readonly closedAt: Date | null;
  readonly lostReason: string | null;
}

/**
 * The state of a deal after it enters a stage of this kind: won and lost close it, open reopens it. Only lost deals
 * keep a reason.
 */
export function standingIn(
  kind: StageKind,
  before: Standing,
  lostReason: string | null | undefined,
  now: Date,
): Standing {
  if (kind === 'open') return { status: 'open', closedAt: null, lostReason: null };
  return {
    status: kind,
    closedAt: before.status === kind && before.closedAt ? before.closedAt : now,
    lostReason:
      kind === 'lost' ? (lostReason === undefined ? before.lostReason : lostReason) : null,
  };
}

export const NEW_DEAL: Standing = { status: 'open', closedAt: null, lostReason: null };
