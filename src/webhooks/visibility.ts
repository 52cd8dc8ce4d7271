import type { Actor } from '../access/actor.ts';
import { requireFullVisibility } from '../access/visibility.ts';

/**
 * Refuses, to a member with a narrower visibility, what would let them read along at an endpoint that is not their own
 * (403 `forbidden`): it receives what its creator may see, or everything.
 */
export function requireVisible(
  { actor }: { readonly actor: Actor },
  { memberId }: { readonly memberId?: string | null | undefined },
): void {
  if (actor.type === 'member' && actor.id === memberId) return;
  requireFullVisibility(
    actor,
    'This endpoint may receive what you do not see. Only its creator, or somebody who sees the whole workspace, may change its url or events, or rotate its secret.',
  );
}
