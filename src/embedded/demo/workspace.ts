import { system } from '../../access/actor.ts';
import { SCOPE_NAMES } from '../../access/scopes.ts';
import { createApiKey } from '../../api-keys/service.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { DAY_MS } from '../../durations.ts';
import { addNumber } from '../../numbers/service.ts';
import { createWorkspace } from '../../workspaces/service.ts';
import type { Parts } from '../parts.ts';
import { type RunFile, readRunFile } from '../run-file.ts';
import { furnish } from './furnishing.ts';

/** The sign-in of the demo workspace's owner. */
export const DEMO_LOGIN = { email: 'owner@example.com', password: 'workspace-demo' } as const;
const OWNER = { ownerEmail: DEMO_LOGIN.email, ownerName: 'Aurora Lima' } as const;
/** How long the bakery has been a customer. */
const SINCE_MS = 60 * DAY_MS;

type Demo = NonNullable<RunFile['demo']>;

/** Creates the workspace that the first `npm start` prepares: a bakery in mid-business. */
export async function createDemoWorkspace(parts: DemoParts, now: Date): Promise<Demo> {
  const actor = system('demo');
  const begin = new Date(now.getTime() - SINCE_MS);
  const { workspaceId } = await createWorkspace(
    parts.contexts,
    { name: 'Padaria Aurora', plan: 'profissional', ...OWNER, ownerPassword: DEMO_LOGIN.password },
    { now: begin, actor },
  );
  const at = (time: Date) =>
    createContext(parts.contexts, { organizationId: workspaceId, actor, now: time });
  const add = (name: string, phone: string) =>
    addNumber(at(begin), { name, phone, provider: 'sandbox' }, parts.keyring);
  const shop = await add('Front desk', '+5511940000001');
  const delivery = await add('Delivery', '+5511940000002');
  const { key } = await createApiKey(at(now), {
    name: 'Demo integration',
    scopes: [...SCOPE_NAMES],
    lifetime: 'never',
  });
  const numbers = { shop: shop.id, delivery: delivery.id };
  await furnish({ at, now, numbers, password: DEMO_LOGIN.password, ...parts });
  return { workspaceId, numberId: shop.id, phoneNumberId: shop.phoneNumberId ?? null, apiKey: key };
}

/** The demo workspace of this data folder: created the first time, and then found through the run file. */
export async function ensureDemo(
  service: DemoParts & { readonly clock: Clock },
  parts: Pick<Parts, 'databaseUrl'>,
  dataDir: string,
): Promise<Demo> {
  const before = readRunFile(dataDir);
  // The key is stored in clear only in the run file, so nothing can be found for another database.
  if (before?.demo && sameDatabase(before.databaseUrl, parts.databaseUrl)) return before.demo;
  return createDemoWorkspace(service, service.clock.now());
}

export interface DemoParts {
  readonly contexts: ContextParts;
  readonly keyring: Keyring;
  readonly baseUrl: string;
}

/** The embedded server may use another port when it starts again, but the same folder. */
function sameDatabase(before: string, now: string): boolean {
  const [a, b] = [new URL(before), new URL(now)];
  const local = (url: URL): boolean => url.hostname === '127.0.0.1';
  return (
    a.pathname === b.pathname &&
    a.password === b.password &&
    (a.host === b.host || (local(a) && local(b)))
  );
}
