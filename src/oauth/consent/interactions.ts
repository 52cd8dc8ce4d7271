import type { InteractionResults } from 'oidc-provider';
import type { Framed } from '../../http/framed.ts';
import { requestOf } from '../../http/serving/frame.ts';
import { keyOf } from '../provider/adapter.ts';
import { type Exchange, exchanges, inOneTransaction, newExchange } from '../provider/exchange.ts';
import { type Approval, type ApprovingParts, approve, type Keep } from './approving.ts';
import { type InteractionView, readAsked } from './asked.ts';

/**
 * The authorization server as the consent page sees it. Each method throws 404 if this browser has no such request.
 */
export interface Interactions {
  read(ctx: Framed): Promise<InteractionView>;
  /**
   * Connects the app, unless the request was answered already. Throws 403, 409 `quota` or `invalid_state`, and changes
   * nothing.
   *
   * @returns the address at which the browser goes on, and is sent back to the app
   */
  approve(ctx: Framed, approval: Approval): Promise<string>;
  /** @returns the address, as of `approve` */
  decline(ctx: Framed): Promise<string>;
}

/** Each call runs as one exchange with the authorization server, as if the browser had made it. */
export function createInteractions(parts: ApprovingParts): Interactions {
  const inside = <T>(ctx: Framed, work: (exchange: Exchange) => Promise<T>): Promise<T> => {
    const exchange = newExchange(parts.database, parts.clock.now(), requestOf(ctx));
    return exchanges.run(exchange, () => work(exchange));
  };
  const read = (ctx: Framed, { sql }: Exchange): Promise<InteractionView> =>
    readAsked(parts.stand, ctx, sql);
  /** A form may be sent twice at once: the second waits for the first, and goes on where that one does. */
  const answering = (ctx: Framed, answer: Answer): Promise<string> =>
    inside(ctx, async (exchange) => {
      const { provider } = parts.stand.current();
      const keep: Keep = (result) =>
        provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false });
      let target = '';
      await inOneTransaction(parts.database, exchange, async () => {
        await hold(exchange, ctx.state.params?.['uid'] ?? '');
        const view = await read(ctx, exchange);
        target = view.goesOnAt ?? (await answer(keep, view, exchange));
        return true;
      });
      return target;
    });
  return {
    read: (ctx) => inside(ctx, (exchange) => read(ctx, exchange)),
    approve: (ctx, approval) =>
      answering(ctx, (keep, view, exchange) => approve(parts, { keep, view, exchange }, approval)),
    decline: (ctx) => answering(ctx, (keep) => keep(DECLINED)),
  };
}

type Answer = (keep: Keep, view: InteractionView, exchange: Exchange) => Promise<string>;

const DECLINED: InteractionResults = {
  error: 'access_denied',
  error_description: 'the person declined',
};

const hold = ({ sql }: Exchange, uid: string): Promise<unknown> =>
  sql.rows("select from oauth_artifacts where model = 'Interaction' and key = $1 for update", [
    keyOf('Interaction', uid),
  ]);
