import type { MemberActor } from '../../access/actor.ts';
import type { Context, ReadContext } from '../../context.ts';
import { toAppError } from '../../http/failures.ts';
import { type Presence, presenceOf, type SignedIn, stayOnline } from '../../members/presence.ts';
import type { Session } from '../../people/sessions.ts';

interface Visiting {
  readonly actor: MemberActor;
}

/** Who conversations may be given to. */
const answers = ({ actor }: Visiting): boolean => actor.permissions.has('conversations.reply');

/** The member as signed in by this session. */
const signedInAs = ({ actor }: Visiting, { signedInAt }: Session): SignedIn => ({
  id: actor.id,
  signedInAt,
});

/** Null for a reader to whom no conversation may be given. */
export const presenceIn = async (
  ctx: ReadContext & Visiting,
  session: Session,
): Promise<Presence | null> => (answers(ctx) ? presenceOf(ctx, signedInAs(ctx, session)) : null);

/**
 * Renews it, in a transaction of its own. Where that has to wait too long, or the database takes no change, the page is
 * shown all the same: it is no act of the person, and what is not assigned for them is a minute later.
 */
export async function renew(ctx: Context & Visiting, session: Session): Promise<void> {
  try {
    await stayOnline(ctx, signedInAs(ctx, session));
  } catch (error) {
    if (toAppError(error).code !== 'unavailable') throw error;
  }
}
