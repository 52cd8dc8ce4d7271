import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditActor } from '../../src/audit/chain.ts';
import { actionText } from '../../src/console/audit/actions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { bodyWith } from '../support/bodies.ts';
import { credentialFor } from '../support/credentials.ts';
import { addressOf, everyRoute, nameOf, sendable } from '../support/every-route.ts';
import { type OpenDoor, openDoor, type Reply, serveApi, type TestApi } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
/** Another process over the same database. */
let second: TestApi;
let full: FullWorkspace;
/** One in which nothing is changed, for what only reads or is refused. */
let still: FullWorkspace;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  second = await serveApi(door.database, { routes: everyRoute, keyring: door.api.deps.keyring });
  still = await aFullWorkspace(door.database, door.api);
});
afterAll(async () => {
  await second.close();
  await door.close();
});

/** A second contact, for calls that need two. */
const OTHER = 'con_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D';

type Write = Extract<Route, { kind: 'write' }>;

const FAILED_DELIVERIES =
  "update webhook_deliveries set status = 'failed', attempts = 12, finished_at = now()";

/** What must have happened to a record before a call is possible, as statements of its workspace. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/campaigns/:id/unschedule': [
    "update campaigns set status = 'scheduled', send_at = now() + interval '1 day'",
  ],
  'POST /v1/campaigns/:id/pause': ["update campaigns set status = 'sending', started_at = now()"],
  'GET /v1/campaigns/:id/proof': ["update campaigns set status = 'done', finished_at = now()"],
  'POST /v1/campaigns/:id/retry': [
    "update campaigns set status = 'done', finished_at = now()",
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status)
     select c.organization_id, c.id, 'rcp_1', 'x', c.contact_ids[1], '+5511987654321', 'Oi', 'failed' from campaigns c`,
  ],
  'POST /v1/campaigns/:id/resume': [
    "update campaigns set status = 'paused', pause_reason = 'member', started_at = now()",
  ],
  'POST /v1/automations/:id/activate': ["update automations set status = 'inactive'"],
  'POST /v1/conversations/:id/transfer': [
    `insert into team_members select m.organization_id, t.id, m.id from teams t, members m on conflict do nothing`,
  ],
  'POST /v1/deals': ['delete from deals'],
  'POST /v1/deals/:id/move': [
    `update deals d set stage_id = (select s.id from stages s where s.pipeline_id = d.pipeline_id
       and s.id <> d.stage_id and s.kind = 'open' limit 1)`,
  ],
  'POST /v1/forms/:id/publish': ["update forms set status = 'unpublished'"],
  'POST /v1/contacts/:id/merge': [
    `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
     values (wms.organization(), '${OTHER}', 'team', 'api', now(), now())`,
  ],
  'POST /v1/webhooks/:id/resume': [
    "update webhook_endpoints set status = 'paused', paused_at = now()",
  ],
  'POST /v1/webhooks/:id/resend': [FAILED_DELIVERIES],
  'POST /v1/webhooks/:id/deliveries/:delivery_id/resend': [FAILED_DELIVERIES],
  'POST /v1/conversations/:id/read': ['update conversations set unread = 1'],
  'POST /v1/conversations/:id/reopen': [
    "update conversations set status = 'closed', closed_at = now()",
  ],
};

/** What to send where an example says what is so already. */
const INSTEAD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /v1/automations': { name: 'Outra' },
  'POST /v1/contacts': { phone: '+55 11 98765-0000' },
  'PATCH /v1/contacts/:id': { name: 'Bia' },
  'POST /v1/contacts/:id/merge': { contact_id: OTHER },
  'POST /v1/webhooks/:id/test': { type: 'message.sent' },
};

/** What a form brings where any file will not do. */
const FILES: Readonly<Record<string, string>> = {
  'POST /v1/contacts/imports': 'name,phone\nBia,+55 11 98765-0000',
};

/** Calls by POST that change nothing, so that the log has nothing to say. */
const ONLY_ASKING: ReadonlySet<string> = new Set([
  'POST /v1/automations/:id/simulate',
  'POST /v1/campaigns/:id/preview',
  'POST /v1/segments/preview',
]);

const bodyOf = (route: Route): unknown => bodyWith(route, full, INSTEAD[nameOf(route)]);
const own = (route: Route): string => (route.id ? (full.ids[route.id] ?? '') : '');
const addressIn = (route: Route, id: string): string =>
  addressOf(route, id, route.part && full.ids[route.part]);

const ask = (route: Route, key: string, id = own(route), body = bodyOf(route)): Promise<Reply> =>
  door.api.call(route.method, addressIn(route, id), {
    key,
    body: sendable(route, body, FILES[nameOf(route)]),
  });

const prepare = (route: Route): Promise<void> =>
  inWorkspace(door.database, full.ctx.organizationId, async (sql) => {
    for (const statement of BEFORE[nameOf(route)] ?? []) await sql.rows(statement);
  });

const entriesOf = (reply: Reply): Promise<{ action: string; actor: AuditActor }[]> =>
  rowsOf(full.ctx, 'select action, actor from audit_entries where request_id = $1', [
    reply.headers.get('x-request-id'),
  ]);

const entries = (): Promise<number> =>
  inWorkspace(door.database, full.ctx.organizationId, async (sql) => {
    const rows = await sql.rows<{ n: number }>('select count(*) as n from audit_entries');
    return rows[0]?.n ?? 0;
  });

const named = <R extends Route>(routes: readonly R[]) =>
  routes.map((route) => [nameOf(route), route] as const);

describe.each(named(everyRoute.filter((route) => route.kind !== 'write')))('%s', (_, route) => {
  it('is answered, to a key and to a person, and leaves nothing in the log', async () => {
    full = still;
    await prepare(route);
    const before = await entries();

    const replies = [await ask(route, full.key), await ask(route, full.token)];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await entries()).toBe(before);
  });
});

/** What a call that changes something leaves in the log: who did it. @returns how many entries */
async function isLogged(
  reply: Reply,
  by: 'service_account' | 'app',
  name: string,
): Promise<number> {
  const left = await entriesOf(reply);
  expect(left.length > 0).toBe(!ONLY_ASKING.has(name));
  const isApp = by === 'app';
  for (const { action, actor } of left) {
    // The console's log has words for it.
    expect([action, actionText('en', action)]).toEqual([action, expect.any(String)]);
    const { type, member_id, member_name, app_id } = actor;
    const person = [member_id, member_name, app_id].map((one) => one !== null);
    expect([type, ...person]).toEqual([by, isApp, isApp, isApp]);
  }
  return left.length;
}

const writes = everyRoute.filter((route): route is Write => route.kind === 'write');
async function prepared(route: Route): Promise<void> {
  full = await aFullWorkspace(door.database, door.api);
  await prepare(route);
}

// Where keys are refused an app does what the cases below do with a key.
describe.each(named(writes.filter(({ apiKeys }) => apiKeys !== false)))('%s', (name, route) => {
  it('does what its example says for an app, and the log names app and person', async () => {
    await prepared(route);

    const reply = await ask(route, full.token);

    expect([reply.status, reply.text]).toEqual([route.status, reply.text]);
    await isLogged(reply, 'app', name);
  });
});

describe.each(named(writes))('%s', (name, route) => {
  it('leaves no entry when it is refused', async () => {
    full = still;
    const key = credentialFor(route, full);
    const before = await entries();

    const refused = [
      await ask(route, 'nobody'),
      await ask(route, key, own(route), { no_such_field: true }),
      ...(route.id ? [await ask(route, key, newId(route.id))] : []),
    ];

    for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400);
    expect(await entries()).toBe(before);
  });

  it('does what its example says once when it is sent four times at once to two processes with one key, and the log names who did it', async () => {
    await prepared(route);
    const before = await entries();
    const key = credentialFor(route, full);
    const send = (api: TestApi): Promise<Reply> =>
      api.call(route.method, addressIn(route, own(route)), {
        key,
        body: sendable(route, bodyOf(route), FILES[nameOf(route)]),
        headers: { 'idempotency-key': 'once' },
      });

    const replies = await Promise.all([door.api, second, door.api, second].map(send));
    const again = await send(second);

    expect([again.status, again.text]).toEqual([route.status, again.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const reply of replies)
      expect([again.text, 'idempotency_in_progress']).toContain(
        reply.status === 409 ? reply.body.error.code : reply.text,
      );
    const left = await isLogged(again, key === full.key ? 'service_account' : 'app', name);
    expect(await entries()).toBe(before + left);
  });
});
