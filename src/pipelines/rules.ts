import type { FieldProblem } from '../errors.ts';

/** What a stage stands for (design decisions §2). A deal's status mirrors the kind of its stage. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const;

/** What it means for a deal to be there; a pipeline has at least one open stage. */
export type StageKind = (typeof STAGE_KINDS)[number];

export const MAX_STAGES = 50;

/**
 * What is wrong with stages in this order (design decisions §2): 1 to 50, at least one open, and those
 * that end a deal after all open ones.
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

/** The list with one of its items at another place; a place behind the end is the end. */
export function movedTo<T>(items: readonly T[], item: T, position: number): T[] {
  const others = items.filter((other) => other !== item);
  return others.toSpliced(position, 0, item);
}

/** Where a new stage goes that names no place: behind its own kind, so that the order stays right. */
export const placeFor = (kinds: readonly StageKind[], kind: StageKind): number =>
  kind === 'open' ? kinds.lastIndexOf('open') + 1 : kinds.length;

/** A deal's own part in a move to a stage. Times are the caller's, null for open deals. */
export interface Standing {
  readonly status: StageKind;
  readonly closedAt: Date | null;
  readonly lostReason: string | null;
}

/**
 * How a deal stands after it came into a stage of this kind: won and lost close it, open opens it again.
 * A reason is kept for lost deals alone.
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
