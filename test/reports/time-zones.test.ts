import { expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { newIdAt } from '../../src/ids.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { changeSettings } from '../../src/workspaces/settings.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { pastOf } from './support/days.ts';

const NOW = new Date('2026-11-21T15:00:00Z');
/** The plan keeps six months: all but the first message. */
const DROPPED_AT = new Date('2027-05-07T15:00:00Z');
const FIRST = '2026-11-05T15:00:00Z';
/** On the 9th in São Paulo, on the 10th in Tokyo. */
const AFTERNOON = '2026-11-09T16:00:00Z';
/** On the 10th in São Paulo, on the 9th in Manaus. */
const JUST_AFTER_MIDNIGHT = '2026-11-10T03:30:00Z';

const door = opened(() => openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } }));

/** A workspace whose plan has dropped the messages of a day that was written down. */
async function aLongHistory() {
  const { ctx } = await aWorkspace(door.database, { now: new Date(FIRST), plan: 'essencial' });
  const { key } = await anApiKey(ctx, ['automations:read', 'numbers:read']);
  const numberId = (await aNumber(ctx)).id;
  const past = pastOf(door.database, ctx);
  const contactId = await past.contact(FIRST);
  const conversationId = await past.conversation(FIRST, numberId, contactId);
  for (const at of [FIRST, AFTERNOON, JUST_AFTER_MIDNIGHT])
    await past.say({ conversationId, at, source: 'api' });
  const rollUp = () =>
    rollUpWorkspace(door.database, ctx.organizationId, { now: NOW, mayGoOn: () => true });
  const days = async (from: string, to = from): Promise<number> => {
    const query = `period=custom&from=${from}&to=${to}`;
    const { body } = await door.api.call('GET', `/api/v1/reports/numbers?${query}`, { key });
    return body.attempted;
  };
  const drop = async (): Promise<void> => {
    await rollUp();
    const upkeep = { workflow: 'dropMessageHistory', history: 'drop-message-history' } as const;
    await runUpkeep({ ...upkeep, database: door.database, now: DROPPED_AT });
  };
  return { ctx, conversationId, contactId, past, rollUp, drop, days };
}

type History = Awaited<ReturnType<typeof aLongHistory>>;

const write = ({ organizationId }: Context, text: string, params: unknown[]): Promise<unknown> =>
  inWorkspace(door.database, organizationId, (sql) => sql.rows(text, [organizationId, ...params]));

const anOldCampaign = ({ ctx }: History): Promise<unknown> =>
  write(
    ctx,
    `insert into campaigns (organization_id, id, name, status, target, text, pace, created_by, created_at)
     values ($1, $2, 'Oi', 'done', 'contacts', 'Oi', 60, '{}', $3)`,
    [newIdAt('cmp', new Date(FIRST)), FIRST],
  );

async function anOldOptOut({ ctx, past, conversationId, contactId }: History): Promise<void> {
  await past.say({ conversationId, at: '2026-11-04T15:00:00Z', source: 'contact', text: 'SAIR' });
  await write(
    ctx,
    `update contacts set opted_out = true, opted_out_at = now(), opt_out_source = 'keyword', opt_out_message_id = (
       select id from messages where organization_id = $1 and contact_id = $2 and direction = 'inbound')
     where organization_id = $1 and id = $2`,
    [contactId],
  );
}

it.each([
  ['a first campaign', anOldCampaign],
  ['the message of an opt-out', anOldOptOut],
  ['nothing', async () => {}],
])(
  'a new time zone leaves the figures of days whose messages are gone, where %s is older',
  async (_, left) => {
    const history = await aLongHistory();
    await left(history);
    await history.drop();
    const seen = [await history.days('2026-11-01', '2026-11-08')];

    for (const time_zone of ['America/Manaus', 'America/Sao_Paulo']) {
      await changeSettings(history.ctx, { time_zone });
      seen.push(await history.days('2026-11-01', '2026-11-08'));
      await history.rollUp();
      seen.push(await history.days('2026-11-01', '2026-11-08'));
    }

    expect(seen).toEqual([1, 1, 1, 1, 1]);
  },
);

it.each([
  ['America/Manaus', [2, 0]],
  ['Asia/Tokyo', [0, 2]],
])(
  'the time zone %s counts the days anew whose messages are there, at once and written down again',
  async (time_zone, counted) => {
    const { ctx, rollUp, drop, days } = await aLongHistory();
    await drop();
    const ninthAndTenth = async () => [await days('2026-11-09'), await days('2026-11-10')];
    expect(await ninthAndTenth()).toEqual([1, 1]);

    await changeSettings(ctx, { time_zone });
    expect(await ninthAndTenth()).toEqual(counted);
    await rollUp();

    expect(await ninthAndTenth()).toEqual(counted);
  },
);
