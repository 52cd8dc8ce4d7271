import { mock } from 'node:test';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';

/** The libraries that receivers use: of Standard Webhooks, and Svix's. */
const LIBRARIES = { standardwebhooks: Standard, svix: Svix } as const;
type Library = keyof typeof LIBRARIES;
export const publicVerifiers = Object.keys(LIBRARIES) as readonly Library[];

interface Delivered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Which of the public verifiers accept a delivery at `now` (Unix seconds). */
export function acceptedBy(secret: string, { headers, body }: Delivered, now: number): Library[] {
  // They read the receiver's clock from here and take no other.
  const clock = mock.method(Date, 'now', () => now * 1_000);
  try {
    return publicVerifiers.filter((name) => {
      try {
        new LIBRARIES[name](secret).verify(Buffer.from(body), { ...headers });
        return true;
      } catch {
        return false;
      }
    });
  } finally {
    clock.mock.restore();
  }
}
