import type { InteractionResults } from 'oidc-provider';
import { type Framed, requestOf } from '../../http/serving/frame.ts';
import { type Exchange, exchanges, newExchange } from '../provider/exchange.ts';
import { type Approval, type ApprovingParts, approve } from './approving.ts';
import { type InteractionView, readAsked } from './asked.ts';

/**
 * The authorization server as the consent page sees it. Each method throws 404 if this browser has no such request.
 */
export interface Interactions {
  read(ctx: Framed): Promise<InteractionView>;
  /**
   * Connects the app. Throws 403, 409 `quota` or `invalid_state`, and changes nothing.
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
  return {
    read: (ctx) => inside(ctx, (exchange) => read(ctx, exchange)),
    approve: (ctx, approval) =>
      inside(ctx, async (exchange) => {
        const view = await read(ctx, exchange);
        return keep(parts, ctx, await approve(parts, view, approval, exchange.request));
      }),
    decline: (ctx) =>
      inside(ctx, async (exchange) => {
        await read(ctx, exchange);
        const declined = { error: 'access_denied', error_description: 'the person declined' };
        return keep(parts, ctx, declined);
      }),
  };
}

const keep = (
  { stand }: ApprovingParts,
  ctx: Framed,
  result: InteractionResults,
): Promise<string> =>
  stand.current().provider.interactionResult(ctx.req, ctx.res, result, {
    mergeWithLastSubmission: false,
  });
