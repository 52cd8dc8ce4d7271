import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import {
  PERMISSION_OPTIONS,
  type PermissionOption,
  permissionsOf,
  ROLES,
  type Role,
} from '../../src/access/roles.ts';
import { permissionOf, SCOPE_NAMES } from '../../src/access/scopes.ts';
import type { Context } from '../../src/context.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { addressOf, everyRoute, exampleBody, nameOf, sendable } from '../support/every-route.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember, aToken, standConnected } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';

let door: OpenDoor;
let ctx: Context;
const people = new Map<string, string>();

const ASKERS: readonly [string, Role, readonly PermissionOption[]][] = [
  ...ROLES.map((role) => [role, role, []] as [string, Role, PermissionOption[]]),
  ...PERMISSION_OPTIONS.map(
    (option) => [`agent with ${option}`, 'agent', [option]] as [string, Role, PermissionOption[]],
  ),
];

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ({ ctx } = await aWorkspace(door.database));
  for (const [name, role, options] of ASKERS)
    people.set(name, (await aMember(ctx, { role, options })).id);
});
afterAll(() => door.close());

const ask = (route: Route, token: string): Promise<Reply> =>
  door.api.call(route.method, addressOf(route, newId(route.id ?? 'con')), {
    key: token,
    body: sendable(route, exampleBody(route)),
  });

/** In the order the door asks for them. */
const needed = (route: Route): Permission[] => [
  permissionOf(route.scope),
  ...(route.permission ? [route.permission] : []),
];

/** A token of its own each time: a connection has 600 requests a minute. */
const tokenOf = (who: string, options: Parameters<typeof aToken>[2] = {}): string =>
  aToken(ctx.organizationId, people.get(who) ?? '', options).token;

describe.each(everyRoute.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  it.each(ASKERS)('asks an %s in the console for the permission', async (who, role, options) => {
    const has = permissionsOf(role, options);
    const lacking = needed(route).find((permission) => !has.has(permission));

    const reply = await ask(route, tokenOf(who, { console: true }));

    if (lacking) {
      expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
      expect(reply.body.error.details).toEqual({ permission: lacking });
    } else {
      expect([401, 403]).not.toContain(reply.status);
    }
  });

  it('asks an app for the scope too, whatever the person may', async () => {
    const others = SCOPE_NAMES.filter((scope) => scope !== route.scope);

    const owner = people.get('owner') ?? '';
    const granted = aToken(ctx.organizationId, owner, { scopes: [route.scope] });
    await standConnected(ctx, owner, granted);
    const without = await ask(route, tokenOf('owner', { scopes: others }));
    const alone = await ask(route, granted.token);

    expect(without.status).toBe(403);
    expect(without.body.error.details).toEqual({ scope: route.scope });
    expect([401, 403]).not.toContain(alone.status);
  });

  it('is closed to an app whose person is a Viewer', async () => {
    expect((await ask(route, tokenOf('viewer'))).status).toBe(401);
  });

  it('is closed at the next call when the person is suspended, or loses the permission', async () => {
    const { id, token, credentialId } = await aMember(ctx, { role: 'owner' });
    await standConnected(ctx, id, { credentialId });
    const through = aToken(ctx.organizationId, id, { console: true }).token;
    const become = (set: string): Promise<unknown> =>
      rowsOf(ctx, `update members set ${set} where id = $1`, [id]);
    expect([401, 403]).not.toContain((await ask(route, token)).status);

    await become("role = 'viewer'");
    const viewer = permissionsOf('viewer', []);
    const allowed = needed(route).every((permission) => viewer.has(permission));
    expect((await ask(route, through)).status === 403).toBe(!allowed);
    await become("role = 'owner', status = 'suspended'");

    for (const one of [token, through]) expect((await ask(route, one)).status).toBe(401);
    // The plan has no more than 60 seats.
    await rowsOf(ctx, 'delete from members where id = $1', [id]);
  });
});

it('a success is not repeated to whoever has lost the permission since', async () => {
  const { id: contactId } = await aContact(ctx);
  const { id, token } = await aMember(ctx, { role: 'admin' });
  const remove = (): Promise<Reply> =>
    door.api.call('DELETE', `/api/v1/contacts/${contactId}`, {
      key: token,
      headers: { 'idempotency-key': 'once' },
    });
  const answers = [await remove(), await remove()];

  await rowsOf(ctx, "update members set role = 'agent' where id = $1", [id]);
  const refused = await remove();

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
  expect([refused.status, refused.body.error.details]).toEqual([
    403,
    { permission: 'contacts.delete' },
  ]);
});
