import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf, type Said } from './support/days.ts';

/** New York has just put its clocks back, so one of the days had 25 hours. */
const ZONE = 'America/New_York';
const NOW = new Date('2026-11-04T16:20:00Z');
const HOUR_MS = 3_600_000;
const DAYS = 6;

const SOURCES = ['member', 'automation', 'campaign', 'api', 'phone', 'reminder'] as const;
const STATUSES = [
  ...['queued', 'sending', 'unconfirmed', 'sent', 'delivered', 'delivered', 'read', 'failed'],
  ...['failed', 'cancelled'],
];
const REASONS = ['no_whatsapp', 'no_recipient', 'throttled', 'out_of_window', 'policy'];

interface Place {
  readonly id: string;
  readonly number: string;
  readonly team: string;
  readonly agent: string;
  readonly origin: string;
}

/** A message as it was written down, beside the table. */
interface Noted extends Said {
  readonly place: Place;
}

let door: OpenDoor;
let ctx: Context;
let key: string;
let automationId: string;
const noted: Noted[] = [];
const campaignId = 'cmp_01JD8B6V0R5Q9T3XK2M7N4P1WZ';

/** The same numbers at each run: a failure must come again. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
const draw = numbersFrom(20_261_121);
const one = <T>(items: readonly T[]): T => items[draw(items.length)] as T;

beforeAll(async () => {
  door = await openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } });
  ({ ctx } = await aWorkspace(door.database, { now: NOW }));
  await rowsOf(ctx, 'update workspaces set time_zone = $2 where organization_id = $1', [
    ctx.organizationId,
    ZONE,
  ]);
  ({ key } = await anApiKey(ctx, ['automations:read', 'numbers:read']));
  const past = pastOf(door.database, ctx);
  automationId = await past.automation('Boas-vindas');
  const numbers = [(await aNumber(ctx)).id, (await aNumber(ctx, { name: 'Suporte' })).id];
  const member = await aMember(ctx, { teams: ['Vendas'] });
  const places = await somePlaces(numbers, member);
  for (let n = 0; n < 400; n += 1) {
    const said = someMessage(one(places));
    noted.push(said);
    await past.say(said);
  }
});
afterAll(() => door.close());

async function somePlaces(numbers: readonly string[], member: TestMember): Promise<Place[]> {
  const past = pastOf(door.database, ctx);
  const begin = new Date(NOW.getTime() - DAYS * 24 * HOUR_MS).toISOString();
  const places: Place[] = [];
  for (let n = 0; n < 12; n += 1) {
    const origin = one(['direct', 'import', 'campaign']);
    const number = one(numbers);
    const team = n % 2 === 0 ? (member.teamIds[0] ?? '') : '';
    const agent = n % 4 === 0 ? member.id : '';
    const contactId = await past.contact(begin, origin);
    const assigned = { ...(team && { teamId: team }), ...(agent && { memberId: agent }) };
    const id = await past.conversation(begin, number, contactId, assigned);
    places.push({ id, number, team, agent, origin });
  }
  return places;
}

function someMessage(place: Place): Noted {
  const status = one(STATUSES);
  const source = one(SOURCES);
  return {
    place,
    conversationId: place.id,
    at: new Date(NOW.getTime() - draw(DAYS * 24 * HOUR_MS)).toISOString(),
    source,
    status,
    ...(source === 'automation' ? { automationId } : {}),
    ...(source === 'campaign' ? { campaignId } : {}),
    ...(status === 'failed' ? { reason: one(REASONS) } : {}),
  };
}

const localDay = (at: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(new Date(at));

type Filter = Partial<
  Record<'number' | 'team' | 'agent' | 'origin' | 'automation' | 'campaign', string>
>;

/** Counted one by one from what was noted, without the database. */
function handCount(filter: Filter, days: readonly string[]) {
  const left = noted.filter(({ place, status, ...said }) => {
    const has: Filter = {
      ...place,
      ...(said.automationId ? { automation: said.automationId } : {}),
      ...(said.campaignId ? { campaign: said.campaignId } : {}),
    };
    return (
      status !== 'queued' &&
      status !== 'cancelled' &&
      days.includes(localDay(said.at)) &&
      Object.entries(filter).every(([name, value]) => has[name as keyof Filter] === value)
    );
  });
  const attempts = left.filter(({ source }) => source !== 'phone');
  const delivered = attempts.filter(({ status }) => status === 'delivered' || status === 'read');
  const lost = attempts.filter(({ status }) => status === 'failed');
  const because = (reason: string): number => lost.filter((said) => said.reason === reason).length;
  const on = (list: readonly Noted[], day: string): number =>
    list.filter(({ at }) => localDay(at) === day).length;
  const by = (source: string): Noted[] => left.filter((said) => said.source === source);
  return {
    numbers: {
      attempted: attempts.length,
      delivered: delivered.length,
      lost: lost.length,
      reasons: {
        no_whatsapp: because('no_whatsapp'),
        no_recipient: because('no_recipient'),
        throttled: because('throttled'),
        out_of_window: because('out_of_window'),
      },
    },
    ofNumber: (id: string) => ({
      attempted: attempts.filter(({ place }) => place.number === id).length,
      days: days.map((day) =>
        on(
          delivered.filter(({ place }) => place.number === id),
          day,
        ),
      ),
    }),
    count: new Set(by('automation').map(({ place }) => place.id)).size,
    days: days.map((day) => ({
      day,
      automated: on(by('automation'), day),
      team: on(by('member'), day),
    })),
  };
}

const ask = async (report: string, query: string) => {
  const answer = await door.api.call('GET', `/api/v1/reports/${report}?${query}`, { key });
  expect([query, answer.status]).toEqual([query, 200]);
  return answer.body;
};

const FILTERS: readonly (() => Filter)[] = [
  () => ({}),
  () => ({ origin: 'import' }),
  () => ({ number: noted[0]?.place.number ?? '' }),
  () => ({ team: noted.find(({ place }) => place.team)?.place.team ?? '' }),
  () => ({ agent: noted.find(({ place }) => place.agent)?.place.agent ?? '' }),
  () => ({ automation: automationId }),
  () => ({ campaign: campaignId }),
  () => ({ automation: automationId, origin: 'direct' }),
  () => ({ campaign: campaignId, number: noted[1]?.place.number ?? '' }),
  () => ({ automation: automationId, campaign: campaignId }),
];

function everyFilter(): void {
  it.each(FILTERS.map((filter, n) => [n, filter] as const))(
    'have the figures that are counted by hand, filter %i',
    async (_, filterOf) => {
      const filter = filterOf();
      const query = new URLSearchParams({ period: '7d', ...filter }).toString();

      const numbers = await ask('numbers', query);
      const automation = await ask('automation', query);

      const counted = handCount(filter, numbers.days);
      expect(numbers).toMatchObject(counted.numbers);
      for (const { id, attempted, delivered, days } of numbers.numbers) {
        expect({ attempted, days }).toEqual(counted.ofNumber(id));
        expect(days.reduce((sum: number, day: number) => sum + day, 0)).toBe(delivered);
      }
      expect(automation.days).toEqual(counted.days);
      // What a campaign sends is no automation's message.
      expect(automation.count).toBe(filter.campaign ? 0 : counted.count);
    },
  );

  it('leave nothing over: what was attempted is delivered, lost or on its way', async () => {
    const { attempted, delivered, lost, reasons, days, numbers } = await ask(
      'numbers',
      'period=30d',
    );

    const onItsWay = noted.filter(
      ({ status = '', source }) =>
        ['sending', 'unconfirmed', 'sent'].includes(status) && source !== 'phone',
    );
    expect(attempted - delivered - lost).toBe(onItsWay.length);
    const known = Object.values<number>(reasons).reduce((sum, times) => sum + times, 0);
    expect(known).toBeLessThan(lost);
    expect(days).toHaveLength(30);
    for (const number of numbers) expect(number.days).toHaveLength(30);
  });
}

describe('reports counted from the messages', everyFilter);

describe('reports of days that were written down', () => {
  beforeAll(async () => {
    await rollUpWorkspace(door.database, ctx.organizationId, { now: NOW, mayGoOn: () => true });
  });
  everyFilter();
});
