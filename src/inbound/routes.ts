import { AppError } from '../errors.ts';
import { readBody } from '../http/body/body.ts';
import type { Mount } from '../http/mount.ts';
import type { Receiver } from './receiver.ts';

/** WhatsApp's own limit for one webhook. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Where WhatsApp posts. It is outside the API, and authenticated by a signature instead of a token. */
export const inboundMount = (receiver: Receiver): Mount => ({
  path: '/webhooks/whatsapp',
  always: true,
  handle: async (ctx) => {
    if (ctx.method === 'GET') {
      ctx.type = 'text/plain';
      ctx.body = receiver.handshake(new URLSearchParams(ctx.querystring));
    } else if (ctx.method === 'POST') {
      const raw = await readBody(ctx.req, MAX_BYTES);
      await receiver.receive(raw, ctx.get('x-hub-signature-256'));
      ctx.status = 200;
      ctx.body = 'ok';
    } else {
      const allowed = ['GET', 'POST'];
      throw new AppError('method_not_allowed', 'WhatsApp asks by GET and posts by POST.', {
        allowed,
      });
    }
  },
});
