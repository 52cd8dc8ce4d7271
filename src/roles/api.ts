import { agentToolsMount } from '../agent-tools/mount.ts';
import { consoleMounts } from '../console/mount.ts';
import { consolePages } from '../console/pages.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import type { ContextParts } from '../db/contexts.ts';
import { docsMounts } from '../docs/mounts.ts';
import { formMount } from '../forms/page/mount.ts';
import type { KnownToken } from '../http/callers/authenticate.ts';
import type { Mount } from '../http/mount.ts';
import { openApiMount } from '../http/openapi/document.ts';
import type { Route } from '../http/route.ts';
import type { Receiver } from '../inbound/receiver.ts';
import { inboundMount } from '../inbound/routes.ts';
import type { Log } from '../log.ts';
import { createMailer } from '../mail/mailer.ts';
import { openAuthorizationServer } from '../oauth/server.ts';
import { assetMounts, HTMX, STYLE } from '../pages/assets.ts';
import { createAttempts } from '../people/attempts.ts';
import { createRoutes } from '../routes.ts';
import { consentMount } from '../sign-in/consent.ts';
import { comingInMounts } from '../sign-in/mounts.ts';

export interface ApiSideParts extends ContextParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly baseUrl: string;
  readonly log: Log;
  readonly receiver: Receiver;
  /** Exact origins accepted as endpoints although they are not public HTTPS; for development only. */
  readonly trustedOrigins: readonly string[];
  /** The mail server and the sender; null if no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  /** Whether an AI is configured. */
  readonly ai: boolean;
  /** What a workspace may upload within 24 hours, in MB. */
  readonly uploadMbADay: number;
}

/** What an api process serves besides the API. */
export interface ApiSide {
  readonly routes: readonly Route[];
  /** The member an access token of the API stands for. */
  readonly findMember: (token: string) => Promise<KnownToken | null>;
  readonly mounts: readonly Mount[];
  close(): void;
}

/**
 * Composes what is served besides the API. Throws a `ConfigError` if `ENCRYPTION_KEYS` cannot open the signing key.
 */
export async function openApiSide(parts: ApiSideParts): Promise<ApiSide> {
  const { baseUrl, receiver } = parts;
  const routes = createRoutes(parts);
  const oauth = await openAuthorizationServer(parts);
  const mailer = parts.mail ? createMailer(parts.mail) : null;
  const people = { ...parts, mailer, attempts: createAttempts(parts) };
  const holder = (resource: string) => (token: string) =>
    oauth.access.findMember(token, baseUrl + resource);
  return {
    routes,
    findMember: holder('/api/v1'),
    mounts: [
      openApiMount(routes, baseUrl),
      ...docsMounts(routes, baseUrl),
      inboundMount(receiver),
      formMount(parts),
      ...oauth.mounts,
      ...assetMounts([STYLE, HTMX]),
      ...comingInMounts(people),
      consentMount({ ...people, interactions: oauth.interactions }),
      ...consoleMounts({ ...people, routes }, consolePages),
      agentToolsMount({ ...parts, routes, findMember: holder('/api/mcp') }),
    ],
    close: () => {
      oauth.close();
      mailer?.close();
    },
  };
}
