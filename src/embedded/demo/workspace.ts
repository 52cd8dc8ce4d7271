import { system } from '../access/actor.ts';
import { SCOPE_NAMES } from '../access/scopes.ts';
import { createApiKey } from '../api-keys/service.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { addNumber } from '../numbers/service.ts';
import { createWorkspace } from '../workspaces/service.ts';
import type { Parts } from './parts.ts';
import { type RunFile, readRunFile } from './run-file.ts';

const OWNER = { email: 'owner@example.com', password: 'workspace-demo' } as const;

/** The workspace that a first `npm start` leaves ready to try: an owner, a sandbox number, a key with every scope. */
async function createDemoWorkspace(
  parts: ContextParts,
  keyring: Keyring,
  now: Date,
): Promise<NonNullable<RunFile['demo']>> {
  const actor = system('demo');
  const { workspaceId } = await createWorkspace(
    parts,
    {
      name: 'Padaria Aurora',
      plan: 'profissional',
      ownerEmail: OWNER.email,
      ownerName: 'Aurora Lima',
      ownerPassword: OWNER.password,
    },
    { now, actor },
  );
  const ctx = createContext(parts, { organizationId: workspaceId, actor, now });
  const number = await addNumber(
    ctx,
    { name: 'Front desk', phone: '+5511940000001', provider: 'sandbox' },
    keyring,
  );
  const { key } = await createApiKey(ctx, {
    name: 'Demo integration',
    scopes: [...SCOPE_NAMES],
    lifetime: 'never',
  });
  return { workspaceId, numberId: number.id, apiKey: key };
}

/** The demo workspace of this data folder: made the first time, found again by the run file. */
export async function ensureDemo(
  { contexts, keyring, clock }: DemoService,
  parts: Pick<Parts, 'databaseUrl'>,
  dataDir: string,
): Promise<NonNullable<RunFile['demo']>> {
  const before = readRunFile(dataDir);
  // The key exists in clear only in the run file: with another database there is nothing to find.
  if (before?.demo && sameDatabase(before.databaseUrl, parts.databaseUrl)) return before.demo;
  return createDemoWorkspace(contexts, keyring, clock.now());
}

interface DemoService {
  readonly contexts: ContextParts;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** The embedded server takes another port at each start; the folder it lies in is the same. */
function sameDatabase(before: string, now: string): boolean {
  const [a, b] = [new URL(before), new URL(now)];
  const local = (url: URL): boolean => url.hostname === '127.0.0.1';
  return (
    a.pathname === b.pathname &&
    a.password === b.password &&
    (a.host === b.host || (local(a) && local(b)))
  );
}
