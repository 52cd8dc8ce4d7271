import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { pastOf } from './support/days.ts';

const NOW = new Date('2026-11-21T15:00:00Z');
let door: OpenDoor;
let ctx: Context;
let key: string;
let automationId: string;
let ofNothing: TestMember;

beforeAll(async () => {
  door = await openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } });
  ({ ctx } = await aWorkspace(door.database, { now: NOW }));
  ({ key } = await anApiKey(ctx, ['automations:read', 'numbers:read']));
  ofNothing = await aMember(ctx, { visibility: 'assigned', role: 'admin' });
  const numberId = (await aNumber(ctx)).id;
  const past = pastOf(door.database, ctx);
  automationId = await past.automation('Boas-vindas');
  const talk = async (at: string, closedAt?: string): Promise<string> => {
    const conversationId = await past.conversation(at, numberId, await past.contact(at), {
      ...(closedAt ? { closedAt } : {}),
    });
    await past.say({ conversationId, at, source: 'automation', automationId });
    return conversationId;
  };

  const takenOver = await talk('2026-11-17T23:00:00Z', '2026-11-19T15:00:00Z');
  await past.say({
    conversationId: takenOver,
    at: '2026-11-18T12:00:00Z',
    source: 'member',
    author: { type: 'member', id: 'mem_ana', name: 'Ana' },
  });
  await talk('2026-11-17T15:00:00Z', '2026-11-19T15:00:00Z');
  // Somebody had written before the automation did, and nobody after it.
  const writtenFirst = await talk('2026-11-18T17:00:00Z');
  await past.say({ conversationId: writtenFirst, at: '2026-11-17T17:00:00Z', source: 'phone' });
  const reopened = await talk('2026-11-17T16:00:00Z');
  await past.activity(reopened, '2026-11-18T15:00:00Z', 'closed');
  await past.activity(reopened, '2026-11-20T15:00:00Z', 'reopened');
  const tried = await past.contact('2026-11-18T12:00:00Z');
  await past.run(automationId, '2026-11-18T12:00:00Z', { status: 'succeeded', contactId: tried });
});
afterAll(() => door.close());

const ask = async (report: string, query = '', token = key) =>
  (await door.api.call('GET', `/api/v1/reports/${report}?period=7d${query}`, { key: token })).body;

function eachFigure(): void {
  it.each([['without a filter'], ['of one automation']])(
    'follow a conversation from day to day, %s',
    async (which) => {
      const filter = which === 'of one automation' ? `&automation=${automationId}` : '';

      expect(await ask('automation', filter)).toMatchObject({
        count: 4,
        // The one that a member ended is not, the one that opened again later is.
        without_agent: 2,
        handed_over: 1,
      });
      expect(await ask('automation', '&automation=atm_unknown')).toMatchObject({
        count: 0,
        without_agent: 0,
        handed_over: 0,
      });
    },
  );

  it('count a run without a conversation for every member, as the list of runs does', async () => {
    const { automations, count } = await ask('automation', '', ofNothing.token);

    expect(count).toBe(0);
    expect(automations).toMatchObject([{ id: automationId, runs: 1, succeeded: 1, done: 1 }]);
  });
}

describe('reports counted from the messages', eachFigure);

describe('reports of days that were written down', () => {
  beforeAll(() =>
    rollUpWorkspace(door.database, ctx.organizationId, { now: NOW, mayGoOn: () => true }),
  );
  eachFigure();

  it('say what became of a message when the day is written down again', async () => {
    const before = await ask('numbers');
    await inWorkspace(door.database, ctx.organizationId, (sql) =>
      sql.rows(
        `update messages set status = 'failed', error = '{"reason":"throttled"}'
         where organization_id = $1 and source = 'member'`,
        [ctx.organizationId],
      ),
    );
    expect(await ask('numbers')).toMatchObject({ delivered: before.delivered, lost: 0 });
    const tomorrow = new Date(NOW.getTime() + 24 * 3_600_000);

    await rollUpWorkspace(door.database, ctx.organizationId, {
      now: tomorrow,
      mayGoOn: () => true,
    });

    expect(await ask('numbers')).toMatchObject({
      attempted: before.attempted,
      delivered: before.delivered - 1,
      lost: 1,
      reasons: { throttled: 1 },
    });
  });
});

describe('a workspace whose first campaign reached nobody', () => {
  it('has those who were skipped in its report, and among people of their origin and pipeline', async () => {
    const { ctx: other } = await aWorkspace(door.database, { now: NOW });
    const { key: itsKey } = await anApiKey(other, ['numbers:read']);
    const { id: numberId } = await aNumber(other);
    const at = '2026-11-20T15:00:00Z';
    const contactId = await pastOf(door.database, other).contact(at, 'import');
    const pipeline = await aPipeline(other);
    const stage_id = pipeline.stages['Novo'] ?? '';
    await createDeal(other, { contact_id: contactId, stage_id, title: 'Bolo' });
    await inWorkspace(door.database, other.organizationId, async (sql) => {
      await sql.rows(
        `insert into campaigns (organization_id, id, name, status, number_id, target, text, pace, created_by, total, created_at)
         values ($1, 'cmp_1', 'Oi', 'done', $2, 'contacts', 'Oi', 60, '{}', 1, $3)`,
        [other.organizationId, numberId, at],
      );
      await sql.rows(
        `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status, reason, attempts, settled_at)
         values ($1, 'cmp_1', 'rcp_1', 'x', $3, '+5511900000000', 'Oi', 'skipped', 'opted_out', 0, $2)`,
        [other.organizationId, at, contactId],
      );
    });

    const skipped = { attempted: 1, delivered: 0, lost: 1, reasons: { no_recipient: 1 } };
    for (const query of ['', '&origin=import', `&pipeline=${pipeline.id}`])
      expect(await ask('numbers', query, itsKey)).toMatchObject(skipped);
    expect(await ask('numbers', '&origin=form', itsKey)).toMatchObject({ attempted: 0, lost: 0 });
  });
});
