import { SCOPE_NAMES } from '../access/scopes.ts';

/** Where the authorization server and what it protects are (specification, OAuth 2.1 authorization server). */
export interface Addresses {
  readonly baseUrl: string;
  /** The same bytes everywhere: metadata, tokens, answers (RFC 9207). */
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

/** Whether tokens are given for it; compared exactly, as RFC 8707 has it. */
export const isResource = ({ api, mcp }: Addresses, resource: string): boolean =>
  resource === api || resource === mcp;

/** Where a client finds out who gives tokens for a resource (RFC 9728: the path is inserted). */
export const resourceMetadataOf = (resource: string): string => {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
};

export const OIDC_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
export const ALL_SCOPES: readonly string[] = [...OIDC_SCOPES, ...SCOPE_NAMES];
