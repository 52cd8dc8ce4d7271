import type { oas31 } from 'zod-openapi';
import { permissionOf, SCOPE_NAMES, type Scope } from '../../access/scopes.ts';
import type { Route } from '../route.ts';

/** Relative to the base address (specification, OAuth 2.1 authorization server). */
const AUTHORIZATION_SERVER = '/api/auth';

/** How callers authenticate: with a key of the workspace, or a token that a person gave an app. */
export const securitySchemes = (
  routes: readonly Route[],
  baseUrl: string,
): Record<string, oas31.SecuritySchemeObject> => ({
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_ and 32 hexadecimal digits',
    description: `Scopes: ${SCOPE_NAMES.map((scope) => `\`${scope}\``).join(', ')}.`,
  },
  oauth2: {
    type: 'oauth2',
    description: `An app that acts for a person: authorization code with PKCE (\`S256\`) and \`resource=${baseUrl}/api/v1\`. Read the addresses from ${baseUrl}/.well-known/oauth-authorization-server${AUTHORIZATION_SERVER}.`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}${AUTHORIZATION_SERVER}/oauth2/authorize`,
        tokenUrl: `${baseUrl}${AUTHORIZATION_SERVER}/oauth2/token`,
        refreshUrl: `${baseUrl}${AUTHORIZATION_SERVER}/oauth2/token`,
        scopes: Object.fromEntries([
          ...SCOPE_NAMES.map((scope) => [scope, meaningOf(scope, routes)]),
          ['offline_access', 'Gives a refresh token of 30 days.'],
        ]),
      },
    },
  },
});

function meaningOf(scope: Scope, routes: readonly Route[]): string {
  const operations = routes.filter((route) => route.scope === scope);
  const names = operations.map(({ operationId }) => `\`${operationId}\``).join(', ');
  return `The person needs the permission \`${permissionOf(scope)}\`. Operations: ${names || 'none'}.`;
}

/** Either of the two with the scope; operations closed to keys require the second. */
export function securityOf(route: Route): oas31.SecurityRequirementObject[] {
  const byApp = { oauth2: [route.scope] };
  const keys = route.kind !== 'write' || route.apiKeys !== false;
  return keys ? [{ apiKey: [route.scope] }, byApp] : [byApp];
}
