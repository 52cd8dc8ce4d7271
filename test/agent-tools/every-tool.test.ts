import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { permissionsOf, ROLES, type Role } from '../../src/access/roles.ts';
import { permissionOf, SCOPE_NAMES } from '../../src/access/scopes.ts';
import { createTools, type Tool } from '../../src/agent-tools/tools.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { TOOL_SCOPES } from '../../src/oauth/addresses.ts';
import { type CalledTool, callTool, openToolDoor } from '../support/agent-tools.ts';
import { bodyNaming, bodyWith, FIELD_KINDS, idFields } from '../support/bodies.ts';
import { everyRoute } from '../support/every-route.ts';
import { everythingOf } from '../support/everything-of.ts';
import type { OpenDoor } from '../support/http.ts';
import { aMember, aToken } from '../support/members.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;
let theirs: FullWorkspace;
const people = new Map<Role, string>();

const tools = [...createTools(everyRoute).values()];
const named = tools.map((tool) => [tool.name, tool] as const);
/** A Viewer has no app: see the test of the door. */
const SEATED = ROLES.filter((role) => role !== 'viewer');

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
  theirs = await aFullWorkspace(door.database, door.api);
  for (const role of SEATED) people.set(role, (await aMember(ours.ctx, { role })).id);
});
afterAll(() => door.close());

type Ids = Readonly<Partial<Record<IdPrefix, string>>>;

const prefixes = ({ route }: Tool): IdPrefix[] => [route.id, route.part].flatMap((id) => id ?? []);

/** The ids of the path from `path`, those of the body from our own workspace unless another one is given. */
const argsOf = (tool: Tool, path: Ids, body = bodyWith(tool.route, ours)): object => ({
  ...(body as object | undefined),
  ...Object.fromEntries(
    prefixes(tool).map((prefix, i) => [tool.idNames[i], path[prefix] ?? newId(prefix)]),
  ),
});

/** A token of its own each time: a connection has 600 requests a minute. */
const token = (role: Role, scopes = SCOPE_NAMES): string =>
  aToken(ours.ctx.organizationId, people.get(role) ?? '', { scopes }).token;

const code = ({ body }: CalledTool): string | undefined => body.error?.code;

const all = ({ ctx }: FullWorkspace): Promise<string[]> => everythingOf(door.database, ctx);

it('needs a scope of those that agents are told to ask for, and each of these is needed', () => {
  // A message into a group needs the second one.
  const needed = new Set(['groups:write', ...tools.map(({ route }) => route.scope)]);

  expect(TOOL_SCOPES).toEqual(SCOPE_NAMES.filter((scope) => needed.has(scope)));
});

describe.each(named)('%s', (_, tool) => {
  const { scope, permission } = tool.route;

  it('is closed to a token without its scope, whatever else it has, and does nothing', async () => {
    const others = SCOPE_NAMES.filter((name) => name !== scope);
    const before = await all(ours);

    const refused = await callTool(door, token('owner', others), tool.name, argsOf(tool, ours.ids));

    expect([refused.status, code(refused)]).toEqual([403, 'forbidden']);
    expect(await all(ours)).toEqual(before);
  });

  it.each(SEATED)('asks an %s for the permission', async (role) => {
    const has = permissionsOf(role, []);
    const needed = [permissionOf(scope), ...(permission ? [permission] : [])];
    const lacking = needed.find((one) => !has.has(one));

    const answer = await callTool(door, token(role, [scope]), tool.name, argsOf(tool, {}));

    expect(answer.status).toBe(200);
    if (lacking) expect(answer.body.error.details).toEqual({ permission: lacking });
    else expect(code(answer)).not.toBe('forbidden');
  });
});

const withIds = named.filter(([, tool]) => prefixes(tool).length > 0);

it.each(withIds)(
  "%s answers another workspace's record like one that never was",
  async (_, tool) => {
    const before = await all(theirs);
    const said: string[] = [];
    for (const ids of [theirs.ids, {}]) {
      const answer = await callTool(door, token('owner'), tool.name, argsOf(tool, ids));
      expect([answer.failed, code(answer)]).toEqual([true, 'not_found']);
      said.push(answer.text.replaceAll(/req_\w+/g, ''));
    }

    expect(said[0]).toBe(said[1]);
    expect(await all(theirs)).toEqual(before);
  },
);

const fields = tools.flatMap((tool) =>
  idFields(tool.route).map((field) => [tool.name, field, tool] as const),
);

it.each(fields)(
  "%s refuses another workspace's record in %s and changes nothing",
  async (_, field, tool) => {
    const kind = FIELD_KINDS[field] ?? 'con';
    const before = [await all(ours), await all(theirs)];
    const wrap = (id = ''): unknown => (field.endsWith('_ids') ? [ours.ids[kind], id] : id);

    const answers: CalledTool[] = [];
    for (const id of [theirs.ids[kind], newId(kind)]) {
      const args = argsOf(tool, ours.ids, bodyNaming(tool.route, ours, field, wrap(id)));
      answers.push(await callTool(door, token('owner'), tool.name, args));
    }

    const [toForeign, toUnknown] = answers;
    expect(toForeign?.failed).toBe(true);
    expect(toForeign && code(toForeign)).toBe(toUnknown && code(toUnknown));
    expect(toForeign?.text).toContain(field);
    expect([await all(ours), await all(theirs)]).toEqual(before);
  },
);

const lists = named.filter(([, { route }]) => route.kind === 'list');

it.each(lists)('%s lists nothing of another workspace', async (_, tool) => {
  const answer = await callTool(door, token('owner'), tool.name, argsOf(tool, ours.ids));

  expect(answer.failed).toBe(false);
  for (const id of Object.values(theirs.ids)) expect(answer.text).not.toContain(id);
});

it('every tool takes what its example of the API takes, and answers by its own schema, whatever is added later', async () => {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const tool of tools) {
    const accepts = ajv.compile(tool.input);
    expect([tool.name, accepts(argsOf(tool, ours.ids)), accepts.errors]).toEqual([
      tool.name,
      true,
      null,
    ]);
    if (tool.effect !== 'read') {
      const keyed = { ...argsOf(tool, ours.ids), idempotency_key: 'pedido nº 1' };
      expect([tool.name, accepts(keyed)]).toEqual([tool.name, false]);
      continue;
    }
    const answer = await callTool(door, token('owner'), tool.name, argsOf(tool, ours.ids));
    const fits = ajv.compile(tool.output);
    expect([tool.name, fits(answer.body), fits.errors]).toEqual([tool.name, true, null]);
    // A client that refuses the answer to a message has its model send the message again.
    expect([tool.name, fits(later(answer.body)), fits.errors]).toEqual([tool.name, true, null]);
  }
});

const CHOICES = ['status', 'source', 'origin', 'type', 'target'];

/** The same a year later: each record has a field more, and values that nobody knew. */
function later(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(later);
  if (typeof value !== 'object' || value === null) return value;
  const grown = Object.entries(value).map(([name, each]) => [
    name,
    CHOICES.includes(name) && typeof each === 'string' ? 'added_later' : later(each),
  ]);
  return Object.fromEntries([...grown, ['added_later', 1]]);
}
