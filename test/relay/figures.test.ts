import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { inWorkspace, sqlOver } from '../../src/db/database.ts';
import { commandFact, insertFacts } from '../../src/outbox/record.ts';
import { type Age, agesNow, noFigures } from '../../src/relay/figures.ts';
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

    await eventually(() => relay.figures().oldestFactSeconds > 0, { timeoutMs: 30_000 });
    expect(relay.figures().oldestInboundSeconds).toBe(0);
    await letGo();
  });

  it('rises when nobody can know it, and the others stay as they are', async () => {
    const { relay } = await start();
    await hold('facts');

    await eventually(() => relay.figures().oldestFactSeconds > 15, { timeoutMs: 40_000 });
    expect(relay.figures().oldestInboundSeconds).toBe(0);
    await letGo();
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
      oldestSendSeconds: now,
      oldestInboundSeconds: expect.closeTo(now, 1),
      oldestTriggerSeconds: expect.closeTo(now, 1),
    });
  });
});
