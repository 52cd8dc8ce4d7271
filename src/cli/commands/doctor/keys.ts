import { createKeyring } from '../../../crypto/keyring.ts';
import { openDatabase } from '../../../db/database.ts';
import { refuseOtherKeys } from '../../../oauth/tokens/signing-keys.ts';
import { remedy } from '../../remedy.ts';
import type { Surroundings } from '../../session.ts';

/** No process starts with other keys. Whether some single secret needs one more key, `wms keys status` counts. */
export async function keys({ config, run, databaseUrl }: Surroundings): Promise<string> {
  const encryptionKeys = config.ENCRYPTION_KEYS ?? run?.encryptionKeys;
  if (!databaseUrl || !encryptionKeys)
    throw new Error(`No keys are known. ${remedy(config, 'ENCRYPTION_KEYS')}`);
  const database = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    await refuseOtherKeys({ database, keyring: createKeyring(encryptionKeys) });
  } finally {
    await database.close();
  }
  return 'are those of this database';
}
