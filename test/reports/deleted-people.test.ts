import { beforeEach, describe, expect, it } from '@jest/globals';
import { contactDeletion } from '../../src/contacts/routes.ts';
import type { Context } from '../../src/context.ts';
import { keepFiguresOf } from '../../src/reports/deleted-contacts.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { changeSettings } from '../../src/workspaces/settings.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';

const NOW = new Date('2026-11-21T15:00:00Z');
const CAMPAIGN = 'cmp_01JD8B6V0R5Q9T3XK2M7N4P1WZ';
const TOMORROW = new Date('2026-11-22T15:00:00Z');

let ctx: Context;
let key: string;
let people: readonly string[];
let aPerson: (begun: string, ended: string) => Promise<string>;

const door = opened(() =>
  openDoor({
    routes: [...reportRoutes, contactDeletion(keepFiguresOf)],
    clock: { now: () => NOW, skewMs: 0 },
  }),
);

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { now: NOW }));
  ({ key } = await anApiKey(ctx));
  const numberId = (await aNumber(ctx)).id;
  const past = pastOf(door.database, ctx);
  const automationId = await past.automation('Boas-vindas');
  aPerson = async (begun, ended) => {
    const contactId = await past.contact(begun, 'campaign');
    const conversationId = await past.conversation(begun, numberId, contactId, { closedAt: ended });
    const said = { conversationId, at: begun };
    await past.say({ ...said, source: 'campaign', campaignId: CAMPAIGN });
    await past.say({ ...said, source: 'api', status: 'failed', reason: 'throttled' });
    await past.say({ ...said, source: 'automation', automationId });
    await past.activity(conversationId, ended, 'closed');
    const run = { status: 'handed_over', conversationId, contactId, finishedAt: ended };
    await past.run(automationId, begun, run);
    return contactId;
  };
  people = [
    await aPerson('2026-11-19T15:00:00Z', '2026-11-20T15:00:00Z'),
    await aPerson('2026-11-20T16:00:00Z', '2026-11-21T12:00:00Z'),
  ];
});

const rollUp = (now: Date) =>
  rollUpWorkspace(door.database, ctx.organizationId, { now, mayGoOn: () => true });

const ask = async (path: string): Promise<unknown> =>
  (await door.api.call('GET', `/api/v1/reports/${path}`, { key })).body;

async function everyFigure(): Promise<unknown> {
  return [
    await ask('numbers?period=7d'),
    await ask('numbers?period=7d&origin=campaign'),
    await ask('automation?period=7d'),
    await ask(`numbers?period=7d&campaign=${CAMPAIGN}`),
  ];
}

async function deleteThem(): Promise<void> {
  for (const id of people) {
    const { status } = await door.api.call('DELETE', `/api/v1/contacts/${id}`, { key });
    expect(status).toBe(200);
  }
}

describe('people who are deleted', () => {
  it('stay counted in days that are not written down', async () => {
    const before = await everyFigure();
    expect(before).toMatchObject([
      { attempted: 6, delivered: 4, lost: 2 },
      { attempted: 6 },
      { count: 2, without_agent: 2, handed_over: 2 },
      { attempted: 2 },
    ]);

    await deleteThem();

    expect(await everyFigure()).toEqual(before);
  });

  it('stay counted once in days that are written down before, and again after', async () => {
    await rollUp(NOW);
    const before = await everyFigure();

    await deleteThem();
    const after = await everyFigure();
    await rollUp(TOMORROW);

    expect([after, await everyFigure()]).toEqual([before, before]);
  });

  it('stay counted, each on its day, where a new time zone counts everything anew', async () => {
    await aPerson('2026-11-18T15:00:00Z', '2026-11-18T16:00:00Z');
    await changeSettings(ctx, { time_zone: 'Asia/Tokyo' });
    const before = await everyFigure();
    await changeSettings(ctx, { time_zone: 'America/Sao_Paulo' });
    await rollUp(NOW);
    await deleteThem();

    await changeSettings(ctx, { time_zone: 'Asia/Tokyo' });
    const atOnce = await everyFigure();
    await rollUp(NOW);

    expect([atOnce, await everyFigure()]).toEqual([before, before]);
  });

  it('stay counted up to the same time yesterday, with which today is compared', async () => {
    const today = () => Promise.all([ask('numbers?period=today'), ask('automation?period=today')]);
    await aPerson('2026-11-20T14:59:00Z', '2026-11-20T14:59:30Z');
    people = [...people, await aPerson('2026-11-20T14:59:00Z', '2026-11-20T15:01:00Z')];
    const before = await today();
    expect(before).toMatchObject([
      { previous: { attempted: 6, delivered: 4, lost: 2 } },
      { previous: { count: 2, without_agent: 1, handed_over: 1 } },
    ]);

    await deleteThem();

    expect(await today()).toEqual(before);
  });

  it('are nowhere in what is kept of them', async () => {
    await deleteThem();

    const kept = await rowsOf<{ said: string }>(
      ctx,
      `select m::text as said from report_message_remains m
         union all select c::text from report_conversation_remains c`,
    );
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.filter(({ said }) => people.some((id) => said.includes(id)))).toEqual([]);
  });
});
