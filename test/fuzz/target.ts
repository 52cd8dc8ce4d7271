import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { openApiMount } from '../../src/http/openapi/document.ts';
import { EXAMPLE_KEY } from '../../src/http/openapi/parts.ts';
import { createHttpServer, stopHttpServer } from '../../src/http/serving/server.ts';
import { routeTable } from '../../src/http/table.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { documentedPath, everyRoute, nameOf } from '../support/every-route.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember, aToken } from '../support/members.ts';
import { copyRow, type FullWorkspace, recordMaker } from '../support/rows.ts';
import { aFullWorkspace, onceSent } from '../support/two-workspaces.ts';

/** What the fuzzer sends as its credential; real ones of one workspace take turns in its place. */
export const FUZZ_TOKEN = 'fuzz';
/** Each has 600 requests a minute, as for everybody: together they are never the limit. */
const CREDENTIALS = 100;

export interface Target {
  readonly url: string;
  /** `/openapi.json` as it is served, with ids that exist in place of made-up ones. */
  document(): Promise<unknown>;
  /** What the fuzzer got, and which operations never succeeded: those it has hardly seen. */
  tally(): string;
  close(): Promise<void>;
}

/** The whole API over a database of its own, with a workspace that holds one of everything. */
export async function openTarget(): Promise<Target> {
  const door = await openDoor({ routes: everyRoute });
  const full = await aFullWorkspace(door.database, door.api);
  const credentials = await credentialsOf(full);
  const own = new Map([...(await ownCampaigns(door, full)), ...(await ownToDelete(door, full))]);
  const app = createApp({ ...door.api.deps, mounts: [openApiMount(everyRoute, 'http://fuzzed')] });
  const find = routeTable(everyRoute);
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();
  let calls = 0;
  const server = createHttpServer((req, res) => {
    res.once('finish', () => {
      const { statusCode } = res;
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      if (statusCode < 300 && req.url?.startsWith('/api/v1/'))
        succeeded.add(nameOf(find(req.method ?? '', req.url.split('?')[0] ?? '').route));
    });
    if (isFuzzer(req)) {
      calls += 1;
      req.headers.authorization = `Bearer ${credentials[calls % credentials.length]}`;
      // The example's, which every operation has: the first call under it would be the only one. Some may repeat it.
      if (req.headers['idempotency-key'] === EXAMPLE_KEY && calls % 10 > 0)
        req.headers['idempotency-key'] = randomUUID();
    }
    app.handler(req, res);
  }, 'http://fuzzed');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    document: async () =>
      withRealIds(await (await fetch(`${url}/openapi.json`)).json(), full.ids, own),
    tally: () => {
      const never = everyRoute.map(nameOf).filter((name) => !succeeded.has(name));
      const counts = [...statuses].toSorted(([a], [b]) => a - b);
      const answers = counts.map(([status, count]) => `${count} × ${status}`).join(', ');
      return `Answers: ${answers}.\nNever succeeded: ${never.length === 0 ? 'none' : never.join(', ')}.`;
    },
    close: async () => {
      await stopHttpServer(server, 1_000);
      await door.close();
    },
  };
}

const isFuzzer = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === `Bearer ${FUZZ_TOKEN}`;

/** API keys and an Owner's tokens in turn: some routes are for persons only. */
async function credentialsOf({ ctx }: FullWorkspace): Promise<readonly string[]> {
  const owner = await aMember(ctx, { role: 'owner' });
  const pairs: string[] = [];
  while (pairs.length < CREDENTIALS) {
    const { key } = await anApiKey(ctx);
    pairs.push(key, aToken(ctx.organizationId, owner.id).token);
  }
  return pairs;
}

type Ids = Readonly<Partial<Record<IdPrefix, string>>>;
interface Paths {
  readonly paths: Record<string, Record<string, { parameters?: unknown[] }>>;
}

/** What must have been done with a campaign before these steps of it are possible. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  pause: ['send'],
  resume: ['send', 'pause'],
  unschedule: ['schedule'],
};

/** A campaign for each operation on one, in a state that allows it: the first call would end the only one. */
async function ownCampaigns(
  { api, database }: OpenDoor,
  full: FullWorkspace,
): Promise<ReadonlyMap<string, string>> {
  const { key, ids } = full;
  const own = new Map<string, string>();
  const post = (path: string, body?: unknown): Promise<Reply> =>
    api.call('POST', `/api/v1/campaigns${path}`, { key, body });
  for (const route of everyRoute.filter(({ id, kind }) => id === 'cmp' && kind === 'write')) {
    const draft = { name: 'Aviso', number_id: ids.num, target: 'contacts', contact_ids: [ids.con] };
    const { body } = await post('', { ...draft, text: 'Olá', pace: 60 });
    const id: string = body.id;
    const when = new Date(Date.now() + 86_400_000).toISOString();
    for (const step of BEFORE[route.path.split('/').at(-1) ?? ''] ?? [])
      await post(`/${id}/${step}`, step === 'schedule' ? { when } : undefined);
    own.set(nameOf(route), id);
  }
  const { ids: over } = await onceSent(database, full);
  return own.set('POST /v1/campaigns/:id/retry', over.cmp ?? '');
}

/** A record for each operation that deletes one: the others go on with the only one there is. */
async function ownToDelete(
  { database }: OpenDoor,
  { ctx, ids }: FullWorkspace,
): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  for (const route of everyRoute) {
    const { id: prefix, method } = route;
    if (method !== 'DELETE' || !prefix || prefix === 'cmp') continue;
    const id = newId(prefix);
    await inWorkspace(database, ctx.organizationId, (sql) =>
      copyRow(sql, recordMaker(prefix), ids[prefix] ?? '', id),
    );
    own.set(nameOf(route), id);
  }
  return own;
}

const inPath = (name: string, example: string) => ({
  name,
  in: 'path',
  required: true,
  example,
  schema: { type: 'string', minLength: 1, maxLength: 100 },
});

/** Examples then reach the records, and each path has an id of its kind beside the fuzzer's own. */
function withRealIds(served: unknown, ids: Ids, own: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(served).replace(
    /\b([a-z]{3,4})_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g,
    (made, prefix: IdPrefix) => ids[prefix] ?? made,
  );
  const document = JSON.parse(text) as Paths;
  for (const route of everyRoute) {
    const operations = document.paths[documentedPath(route)];
    const method = route.method.toLowerCase();
    const common = route.id && ids[route.id];
    const id = own.get(nameOf(route)) ?? common;
    if (!operations?.[method]?.parameters || !id || !common) continue;
    // The fuzzer takes an id from the answer's example, too.
    const operation = JSON.parse(JSON.stringify(operations[method]).replaceAll(common, id));
    operation.parameters = operation.parameters.map((parameter: unknown) => {
      const text = JSON.stringify(parameter);
      if (text.includes('#/components/parameters/Id"')) return inPath('id', id);
      return route.part && text.includes('#/components/parameters/DeliveryId"')
        ? inPath('delivery_id', ids[route.part] ?? '')
        : parameter;
    });
    operations[method] = operation;
  }
  return document;
}
