import type { Command } from 'commander';
import type { Keyring } from '../../crypto/keyring.ts';
import { countSealed, type SealedCount, sealing } from '../../crypto/rotation.ts';
import { type SweepControl, type SweepPosition, sweep } from '../../db/sweeping.ts';
import { messageOf } from '../../errors.ts';
import { counted, createOutput, table } from '../output.ts';
import { withSession } from '../session.ts';

interface Options {
  readonly json?: boolean;
}

interface KeyStatus {
  readonly key_id: string;
  /** Whether it is in `ENCRYPTION_KEYS`, and not declared lost there. */
  readonly configured: boolean;
  readonly active: boolean;
  /** How many secrets in the database only this key opens. */
  readonly secrets: number;
  readonly says: string;
}

/** Manages the keys of `ENCRYPTION_KEYS`, which encrypt the service's secrets. */
export function keyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('the keys that encrypt stored secrets (ENCRYPTION_KEYS)');
  keys
    .command('status')
    .description('what each key encrypted, and which one can be removed')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withSession(
        async ({ database, keyring }) => {
          const columns = await countSealed(database);
          const statuses = statusOf(keyring, columns);
          createOutput(options.json).result({ keys: statuses, columns: shown(columns) }, [
            ...table(statuses.map((key) => [key.key_id, String(key.secrets), key.says])),
            '',
            ...table(columns.map((c) => [c.keyId, `${c.table}.${c.column}`, String(c.count)])),
          ]);
          if (statuses.some((key) => !key.configured && key.secrets > 0)) process.exitCode = 1;
        },
        { withAnyKeys: true },
      ),
    );
  keys
    .command('rotate')
    .description('encrypt everything with the active key now; the service does it every hour')
    .option('--json', 'print one JSON document')
    .action((options: Options) =>
      withSession(async (session) => {
        const { sealed, unreadable, failed } = await rotate(session);
        createOutput(options.json).result({ encrypted_again: sealed, unreadable, failed }, [
          `${counted(sealed, 'secret', 'secrets')} encrypted with key ${session.keyring.activeKeyId}`,
          ...(unreadable > 0
            ? [`${counted(unreadable, 'secret', 'secrets')} cannot be read.`]
            : []),
          ...failed.map(
            ({ workspace_id, message }) =>
              `failed${workspace_id && ` in ${workspace_id}`}: ${message}`,
          ),
        ]);
        if (unreadable > 0 || failed.length > 0) process.exitCode = 1;
      }),
    );
}

const shown = (columns: readonly SealedCount[]) =>
  columns.map(({ keyId, ...rest }) => ({ key_id: keyId, ...rest }));

function statusOf(keyring: Keyring, columns: readonly SealedCount[]): KeyStatus[] {
  const ids = new Set([
    ...keyring.keyIds,
    ...keyring.lostKeyIds,
    ...columns.map(({ keyId }) => keyId),
  ]);
  return [...ids].map((id) => {
    const configured = keyring.keyIds.includes(id);
    const active = id === keyring.activeKeyId;
    const secrets = columns
      .filter(({ keyId }) => keyId === id)
      .reduce((total, { count }) => total + count, 0);
    const says = keyring.lostKeyIds.includes(id)
      ? sayingLost(secrets)
      : saying(configured, active, secrets);
    return { key_id: id, configured, active, secrets, says };
  });
}

const sayingLost = (secrets: number): string =>
  secrets > 0
    ? 'is lost: what it encrypted is entered again or renewed (docs/backup.md)'
    : 'is lost and nothing needs it: its entry can be removed';

function saying(configured: boolean, active: boolean, secrets: number): string {
  if (!configured)
    return 'is missing: put it back into ENCRYPTION_KEYS, behind the first; if it is lost for good: docs/backup.md';
  if (active) return 'encrypts';
  if (secrets > 0) return 'is still needed: wait an hour, or run wms keys rotate';
  return 'can be removed once every process has the first key first; forms’ personal links of its time end then';
}

interface Rotated {
  readonly sealed: number;
  readonly unreadable: number;
  readonly failed: readonly { readonly workspace_id: string; readonly message: string }[];
}

async function rotate(parts: Parameters<typeof sealing>[0]): Promise<Rotated> {
  let unreadable = 0;
  const work = sealing(parts, () => {
    unreadable += 1;
  });
  const failed: Rotated['failed'][number][] = [];
  const control: SweepControl = {
    mayGoOn: () => true,
    failed: (workspace_id, error) => failed.push({ workspace_id, message: messageOf(error) }),
    // No turn ends: nobody waits for one.
    now: () => 0,
  };
  for (let position: SweepPosition = { after: '', done: 0 }; ; ) {
    const next = await sweep(work, position, control);
    if (next.finished) return { sealed: next.position.done, unreadable, failed };
    position = next.position;
  }
}
