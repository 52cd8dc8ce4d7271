import { system } from '../access/actor.ts';
import { SCOPE_NAMES } from '../access/scopes.ts';
import { createApiKey } from '../api-keys/service.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { addNumber } from '../numbers/service.ts';
import { createWorkspace } from '../workspaces/service.ts';
import type { RunFile } from './run-file.ts';

const OWNER = { email: 'owner@example.com', password: 'workspace-demo' } as const;

/** The workspace that a first `npm start` leaves ready to try: an owner, a sandbox number, a key with every scope. */
export async function createDemoWorkspace(
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
