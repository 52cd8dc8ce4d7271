import type { Permission } from '../../../src/access/permissions.ts';
import { permissionOf, type Scope } from '../../../src/access/scopes.ts';
import { createTools, type Tool } from '../../../src/agent-tools/tools.ts';
import type { Route } from '../../../src/http/route.ts';
import { type IdPrefix, newId } from '../../../src/ids.ts';
import { callTool } from '../../support/agent-tools.ts';
import { addressOf, everyRoute, exampleBody, nameOf, sendable } from '../../support/every-route.ts';
import { callAt } from '../../support/http.ts';

/** Something that a token may or may not reach: an operation of the API, or a tool for agents. */
export interface Way {
  readonly name: string;
  readonly resource: 'api' | 'mcp';
  readonly scope: Scope;
  /** What the person must hold too, in the order in which it is asked for. */
  readonly permissions: readonly Permission[];
  /** Takes it with a request that fits, for a record that nobody ever had. */
  go(baseUrl: string, token: string): Promise<Met>;
}

/** How somebody is met: let in, whatever the service says then, or refused with these words. */
export type Met = 'let in' | Refused;

export interface Refused {
  readonly code: string;
  /** What was missing, as the body says it. */
  readonly lacks: unknown;
  /** The parameters of the challenge; null without one. Its scopes are sorted. */
  readonly challenge: Readonly<Record<string, string>> | null;
}

interface Said {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  readonly body: any;
}

function metBy({ status, headers, body }: Said): Met {
  const { code = '', details = null } = body?.error ?? {};
  const stopped = [401, 403, 429].includes(status) || status >= 500 || code === 'forbidden';
  if (!stopped) return 'let in';
  return { code, lacks: details, challenge: challengeOf(headers.get('www-authenticate')) };
}

function challengeOf(header: string | null): Refused['challenge'] {
  if (header === null) return null;
  const said = Object.fromEntries(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const { scope } = said;
  return scope === undefined ? said : { ...said, scope: scope.split(' ').toSorted().join(' ') };
}

const neededFor = ({ scope, permission }: Route): Permission[] => [
  permissionOf(scope),
  ...(permission ? [permission] : []),
];

const operation = (route: Route): Way => ({
  name: nameOf(route),
  resource: 'api',
  scope: route.scope,
  permissions: neededFor(route),
  go: async (baseUrl, key) => {
    const body = sendable(route, exampleBody(route));
    const address = addressOf(route, newId(route.id ?? 'con'));
    return metBy(await callAt(baseUrl, route.method, address, { key, body }));
  },
});

const tool = ({ name, route, idNames }: Tool): Way => ({
  name: `tool ${name}`,
  resource: 'mcp',
  scope: route.scope,
  permissions: neededFor(route),
  go: async (baseUrl, token) => {
    const prefixes = [route.id, route.part].filter((prefix): prefix is IdPrefix => !!prefix);
    const ids = Object.fromEntries(prefixes.map((prefix, i) => [idNames[i], newId(prefix)]));
    const args = { ...(exampleBody(route) as object | undefined), ...ids };
    const api: Parameters<typeof callTool>[0]['api'] = {
      call: (method, path, options) => callAt(baseUrl, method, path, options),
    };
    return metBy(await callTool({ api }, token, name, args));
  },
});

/** Of the very tables that are served: what is added is asked too, without anybody remembering to. */
export const everyWay: readonly Way[] = [
  ...everyRoute.map(operation),
  ...[...createTools(everyRoute).values()].map(tool),
];
