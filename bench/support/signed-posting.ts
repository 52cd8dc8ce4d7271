import { Pool } from 'undici';
import { decodeSecret, newSecret, signatureHeaders } from '../../src/webhooks/signing/signature.ts';

/** Posts bodies signed to one server over at most `connections`. Rejects when one is not answered with 200. */
export function signedPosts(origin: string, connections: number) {
  const keys = [decodeSecret(newSecret())];
  const pool = new Pool(origin, { connections });
  return {
    async post(id: string, payload: string): Promise<void> {
      const timestamp = Math.floor(Date.now() / 1_000);
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/hooks/bare',
        headers: {
          'content-type': 'application/json',
          ...signatureHeaders({ id, timestamp, body: payload }, keys),
        },
        body: payload,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`);
    },
    close: (): Promise<void> => pool.close(),
  };
}
