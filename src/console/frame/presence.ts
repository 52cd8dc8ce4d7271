import type { MemberActor } from '../../access/actor.ts';
import type { Context, ReadContext } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { presenceOf, type SignedIn, stayOnline } from '../../members/presence.ts';
import type { Session } from '../../people/sessions.ts';

interface Visiting {
  readonly actor: MemberActor;
}

/** Who conversations may be given to. */
export const answers = ({ actor }: Visiting): boolean =>
  actor.permissions.has('conversations.reply');

/** The member as signed in by this session. */
export const signedInAs = ({ actor }: Visiting, { signedInAt }: Session): SignedIn => ({
  id: actor.id,
  signedInAt,
});

/** Whether this page is to renew that its reader is online. */
export const isToRenew = async (ctx: ReadContext & Visiting, session: Session): Promise<boolean> =>
  answers(ctx) && (await presenceOf(ctx, signedInAs(ctx, session))).isDue;

/** Renews it, in a transaction of its own. Where that has to wait too long, the page is shown all the same. */
export async function renew(ctx: Context & Visiting, session: Session): Promise<void> {
  try {
    await stayOnline(ctx, signedInAs(ctx, session));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
