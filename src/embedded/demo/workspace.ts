import { system } from '../../access/actor.ts';
import { SCOPE_NAMES } from '../../access/scopes.ts';
import { createApiKey } from '../../api-keys/service.ts';
import type { Context } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Clock } from '../../db/clock.ts';
import type { ContextParts } from '../../db/contexts.ts';
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

/**
 * Creates the workspace that the first `npm start` prepares: a bakery in mid-business. All in one transaction, or a start
 * that is killed would leave half of it, and in the next one its people could not sign in: they would have been invited.
 *
 * @param keep told of it right before the commit, so that what is there is known
 */
export async function createDemoWorkspace(
  parts: DemoParts,
  now: Date,
  keep: (demo: Demo) => void = () => {},
): Promise<Demo> {
  const made = Promise.withResolvers<Demo>();
  await createWorkspace(
    parts.contexts,
    { name: 'Padaria Aurora', plan: 'profissional', ...OWNER, ownerPassword: DEMO_LOGIN.password },
    {
      now: new Date(now.getTime() - SINCE_MS),
      actor: system('demo'),
      furnish: async (tx) => {
        const demo = await fill(tx, parts, now);
        keep(demo);
        made.resolve(demo);
      },
    },
  );
  return made.promise;
}

async function fill(tx: Context, parts: DemoParts, now: Date): Promise<Demo> {
  const at = (time: Date): Context => ({ ...tx, now: time });
  const add = (name: string, phone: string) =>
    addNumber(tx, { name, phone, provider: 'sandbox' }, parts.keyring);
  const shop = await add('Front desk', '+5511940000001');
  const delivery = await add('Delivery', '+5511940000002');
  const { key } = await createApiKey(at(now), {
    name: 'Demo integration',
    scopes: [...SCOPE_NAMES],
    lifetime: 'never',
  });
  const numbers = { shop: shop.id, delivery: delivery.id };
  await furnish({ at, now, numbers, password: DEMO_LOGIN.password, ...parts });
  return {
    workspaceId: tx.organizationId,
    numberId: shop.id,
    phoneNumberId: shop.phoneNumberId ?? null,
    apiKey: key,
  };
}

/** The demo workspace of this data folder: created the first time, and then found through the run file. */
export async function ensureDemo(
  service: DemoParts & { readonly clock: Clock },
  parts: Pick<Parts, 'databaseUrl'>,
  dataDir: string,
  keep?: (demo: Demo) => void,
): Promise<Demo> {
  const before = readRunFile(dataDir);
  // The key is stored in clear only in the run file, so nothing can be found for another database.
  if (before?.demo && sameDatabase(before.databaseUrl, parts.databaseUrl)) {
    if (await isThere(service, before.demo)) return before.demo;
  }
  return createDemoWorkspace(service, service.clock.now(), keep);
}

/** It is not when the start that wrote the run file was killed before its commit. */
async function isThere({ contexts }: DemoParts, { workspaceId }: Demo): Promise<boolean> {
  const found = await contexts.database.system.query(
    'select from workspaces where organization_id = $1',
    [workspaceId],
  );
  return found.rowCount === 1;
}

export interface DemoParts {
  readonly contexts: ContextParts;
  readonly keyring: Keyring;
  readonly baseUrl: string;
}

/** The embedded server may use another port when it starts again, but the same folder. */
function sameDatabase(before: string, now: string): boolean {
  const a = new URL(before);
  const b = new URL(now);
  const local = (url: URL): boolean => url.hostname === '127.0.0.1';
  return (
    a.pathname === b.pathname &&
    a.password === b.password &&
    (a.host === b.host || (local(a) && local(b)))
  );
}
