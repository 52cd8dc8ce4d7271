import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { DAY_MS } from '../durations.ts';
import { lockEndpoint } from './changing.ts';
import type { RotatedView } from './schema.ts';
import { openSecret, secretPlace } from './signing/keys.ts';
import { newSecret } from './signing/signature.ts';
import { requireVisible } from './visibility.ts';

/** How long the previous secret keeps signing (specification, Secret rotation). */
const OVERLAP_MS = DAY_MS;

const ROTATE = `
  update webhook_endpoints
  set secret = $3, previous_secret = $4, previous_valid_until = $5, secret_version = secret_version + 1, revision = revision + 1
  where organization_id = $1 and id = $2`;

/**
 * Makes a new secret, shown only this once. For 24 hours the previous one also signs. A second rotation within that
 * time keeps only the two newest secrets. Where nothing opens the previous one any more, the new one signs alone. Throws
 * 403 for a member who sees less than the endpoint may receive.
 */
export function rotateSecret(ctx: Context, id: string, keyring: Keyring): Promise<RotatedView> {
  return transact(ctx, async (tx) => {
    const { organizationId, now } = tx;
    const endpoint = await lockEndpoint(tx, id, 'update');
    requireVisible(tx, endpoint);
    const { name, secret: old } = endpoint;
    const place = { organizationId, endpointId: id };
    const secret = newSecret();
    const previous = openSecret(keyring, old, secretPlace(place));
    const until = previous === null ? now : new Date(now.getTime() + OVERLAP_MS);
    await tx.sql.rows(ROTATE, [
      organizationId,
      id,
      keyring.encrypt(secret, secretPlace(place)),
      // A ciphertext is bound to its column, so the old one cannot simply be moved.
      previous && keyring.encrypt(previous, secretPlace(place, 'previous_secret')),
      previous && until,
    ]);
    tx.recorded.add('endpoints');
    await audit(tx, { action: 'webhook.rotated', target: { type: 'webhook', id, name } });
    return { secret, previous_valid_until: until.toISOString() };
  });
}
