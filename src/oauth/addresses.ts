import { SCOPE_NAMES, type Scope } from '../access/scopes.ts';

/**
 * The addresses of the authorization server and of what it protects (specification, OAuth 2.1 authorization server).
 */
export interface Addresses {
  readonly baseUrl: string;
  /** Identical everywhere: metadata, tokens, answers (RFC 9207). */
  readonly issuer: string;
  readonly api: string;
  readonly mcp: string;
}

export const ISSUER_PATH = '/api/auth';
const API_PATH = '/api/v1';
const MCP_PATH = '/api/mcp';

export const addressesOf = (baseUrl: string): Addresses => ({
  baseUrl,
  issuer: baseUrl + ISSUER_PATH,
  api: baseUrl + API_PATH,
  mcp: baseUrl + MCP_PATH,
});

/** Whether tokens are issued for it; compared exactly, as RFC 8707 requires. */
export const isResource = ({ api, mcp }: Addresses, resource: string): boolean =>
  resource === api || resource === mcp;

/** Whether it is the agent tools, where some scopes allow less than in the API. */
export const isForTools = (resource: string | null): boolean =>
  resource?.endsWith(MCP_PATH) ?? false;

/**
 * Where a client learns which server issues tokens for a resource (RFC 9728: the well-known part is inserted before
 * the path).
 */
export const resourceMetadataOf = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
};

export const OIDC_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
export const ALL_SCOPES: readonly string[] = [...OIDC_SCOPES, ...SCOPE_NAMES];

const NO_TOOL_NEEDS: ReadonlySet<string> = new Set(['numbers:write'] satisfies Scope[]);

/** What an agent asks its person for: all that some tool needs, and nothing else. */
export const TOOL_SCOPES = SCOPE_NAMES.filter((scope) => !NO_TOOL_NEEDS.has(scope));
