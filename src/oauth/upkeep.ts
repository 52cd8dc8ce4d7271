import type { Keyring } from '../crypto/keyring.ts';
import { asSystem, type Database } from '../db/database.ts';
import { LONG_ENOUGH_AGO, removePast } from '../db/removing.ts';
import { removeUnused } from './clients/unused.ts';
import { OUTLIVED } from './tokens/grants.ts';
import { rotateSigningKeys } from './tokens/signing-keys.ts';

/** How many rows a run deleted, and whether a new key signs. */
export interface OAuthUpkeep {
  readonly artifacts: number;
  readonly deniedTokens: number;
  readonly grants: number;
  readonly clients: number;
  readonly keysActivated: number;
  /** Whether there is more of a kind than one step deletes. */
  readonly more: boolean;
}

/**
 * Deletes what has expired: codes, tokens and requests; stored refresh answers, which repeats get for `REPEAT_S`, after
 * a minute; ids of revoked tokens after the tokens' own expiry; grants of which nothing is left; registered clients that
 * nobody connected within a day, or not used for 90. Then advances the signing keys. Safe to repeat.
 */
export async function cleanUpAuthorization(parts: {
  readonly database: Pick<Database, 'system'>;
  readonly keyring: Keyring;
}): Promise<OAuthUpkeep> {
  const removed = await asSystem(parts.database, async (sql) => {
    await sql.rows(
      `update oauth_artifacts set answer = null where answer is not null and consumed_at < now() - interval '1 minute'`,
    );
    const ended = `expires_at < ${LONG_ENOUGH_AGO}`;
    return removePast(sql, {
      artifacts: { table: 'oauth_artifacts', past: ended },
      deniedTokens: { table: 'oauth_denied_tokens', past: ended },
      grants: { table: 'oauth_grants g', past: OUTLIVED },
    });
  });
  const unused = await removeUnused(parts.database);
  const { activated } = await rotateSigningKeys(parts);
  return {
    ...removed.counts,
    clients: unused.clients,
    keysActivated: activated,
    more: removed.more || unused.more,
  };
}
