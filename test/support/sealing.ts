import type { Keyring } from '../../src/crypto/keyring.ts';
import { sealing, type Unreadable } from '../../src/crypto/rotation.ts';
import type { Database } from '../../src/db/database.ts';
import { type SweepControl, type SweepPosition, sweep } from '../../src/db/sweeping.ts';

interface Wish extends Partial<SweepControl> {
  readonly from?: SweepPosition;
  readonly unreadable?: (what: Unreadable) => void;
}

/** Encrypts everything with the active key, as the Schedule does; a workspace that fails ends it if nothing else is said. */
export const sealAgain = (
  parts: { readonly database: Database; readonly keyring: Keyring },
  { from = { after: '', done: 0 }, unreadable = () => {}, ...control }: Wish = {},
) => sweep(sealing(parts, unreadable), from, { mayGoOn: () => true, failed: fail, ...control });

const fail = (_: string, error: unknown): never => {
  throw error;
};
