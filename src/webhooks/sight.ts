import type { MemberActor } from '../access/actor.ts';
import type { ReadContext } from '../context.ts';
import { AppError } from '../errors.ts';

type Asking = Pick<ReadContext, 'actor'>;

/** Null for those who see the whole workspace. */
export const narrowSight = ({ actor }: Asking): MemberActor | null =>
  actor.type === 'member' && actor.visibility !== 'workspace' ? actor : null;

/**
 * Refuses, to a member with a narrower visibility, what would let them read along at an endpoint that is not their own
 * (403 `forbidden`): it receives what its creator may see, or everything.
 */
export function requireSight(
  ctx: Asking,
  { memberId }: { readonly memberId?: string | null | undefined },
): void {
  const narrow = narrowSight(ctx);
  if (!narrow || narrow.id === memberId) return;
  throw new AppError(
    'forbidden',
    'This endpoint may receive what you do not see. Only its creator, or somebody who sees the whole workspace, may change its url or events, or rotate its secret.',
    { visibility: narrow.visibility },
  );
}
