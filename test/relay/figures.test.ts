import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asSystem, inWorkspace, sqlOver } from '../../src/db/database.ts';
import { commandFact, insertFacts } from '../../src/outbox/record.ts';
import { type Age, agesNow, measures, noFigures } from '../../src/relay/figures.ts';
import { fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, anEndpointOf } = relayScene();
const holding: pg.Client[] = [];
const letGo = () => Promise.all(holding.splice(0).map((owner) => owner.end()));

beforeEach(() => sqlOver(scene.database.system).rows('delete from facts'));
afterEach(letGo);

/** As a migration or a person at psql would. */
async function hold(table: string): Promise<void> {
  const owner = new pg.Client({ connectionString: scene.testDatabase.url });
  holding.push(owner);
  await owner.connect();
  await owner.query(`begin; lock table ${table} in access exclusive mode`);
}

describe('the age of the oldest fact', () => {
  it('rises while a table is locked that others of the relay read', async () => {
    const { workspaceId } = await anEndpointOf();
    const { relay } = await start();
    await hold('webhook_deliveries');
    await inWorkspace(scene.database, workspaceId, (sql) =>
      insertFacts(sql, workspaceId, [commandFact('campaign.started', { campaignId: 'cmp_1' })]),
    );

    await eventually(() => relay.figures().oldestFactSeconds > 0);
    await eventually(() => relay.figures().oldestInboundSeconds === 0);
    await letGo();
  });

  it('rises when nobody can know it, and the others stay as they are', async () => {
    const { relay } = await start();
    await hold('facts');

    await eventually(() => relay.figures().oldestFactSeconds > 15);
    await eventually(() => relay.figures().oldestInboundSeconds === 0);
    await letGo();
  });
});

describe('the age of the oldest webhook', () => {
  const age = async (): Promise<number> => {
    const figures = noFigures();
    await measures.webhooks(sqlOver(scene.database.system), figures);
    return figures.oldestWebhookSeconds;
  };

  it('is that of a delivery that is due and that nobody takes, and of a look at a backlog', async () => {
    const { workspaceId, endpointId } = await anEndpointOf();
    const rows = (text: string) =>
      inWorkspace(scene.database, workspaceId, (sql) => sql.rows(text, [endpointId]));
    const before = await age();
    await sentEvents(scene.database, workspaceId);
    await asSystem(scene.database, (sql) => fanOut(sql, { token: 'gone', full: [] }, 10));
    const inHand = await age();
    await rows(
      "update webhook_deliveries set lease_until = now() - interval '5 minutes' where endpoint_id = $1",
    );
    const late = await age();
    await rows('update webhook_deliveries set in_backlog = true where endpoint_id = $1');
    const parked = await age();
    await rows(
      "update webhook_endpoints set drain_at = now() - interval '20 minutes' where id = $1",
    );
    const undrained = await age();
    await rows("update webhook_endpoints set drain_at = now() + interval '1 hour' where id = $1");

    expect([before, inHand, parked, await age()]).toEqual([0, 0, 0, 0]);
    expect(Math.round(late / 60)).toBe(5);
    expect(Math.round(undrained / 60)).toBe(20);
  });
});

describe('an age that was measured', () => {
  it.each<[secondsAgo: number, now: number]>([
    [0, 2],
    [14, 2],
    [60, 62],
  ])('%s seconds ago as 2 seconds, is now %s', (secondsAgo, now) => {
    const figures = noFigures();
    for (const age of Object.keys(figures.measuredAt) as Age[]) figures[age] = 2;
    const { measuredAt } = figures;

    expect(agesNow(figures, measuredAt.oldestSendSeconds + secondsAgo * 1_000)).toMatchObject({
      oldestFactSeconds: expect.closeTo(now, 1),
      oldestSendSeconds: expect.closeTo(now, 1),
      oldestInboundSeconds: expect.closeTo(now, 1),
      oldestTriggerSeconds: expect.closeTo(now, 1),
      oldestWebhookSeconds: expect.closeTo(now, 1),
    });
  });
});
