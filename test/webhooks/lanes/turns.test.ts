import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const database = opened(openOwnDatabase);

async function aStorm(events: number): Promise<string> {
  const { ctx, workspaceId } = await aWorkspace(database);
  await anEndpoint(ctx, 'http://127.0.0.1:9');
  await sentEvents(database, workspaceId, events);
  return workspaceId;
}

/** Whose events each batch took, until nothing was left. */
async function batches(limit: number): Promise<Map<string, number>[]> {
  const taken: Map<string, number>[] = [];
  for (let turn: string | null = ''; turn !== null; ) {
    const taker = { token: 'tests', full: [], after: turn };
    const { claimed, next } = await fanOut(sqlOver(database.system), taker, limit);
    const owners = Map.groupBy(claimed, ({ organizationId }) => organizationId);
    taken.push(new Map([...owners].map(([owner, own]) => [owner, own.length])));
    turn = next;
  }
  return taken;
}

describe('events of several workspaces', () => {
  it('take turns, so that the storm of one does not go before the few of others', async () => {
    const storms = [await aStorm(1_500), await aStorm(900)];
    const few = [await aStorm(3), await aStorm(3)];

    const taken = await batches(500);

    for (const workspace of few) {
      const first = taken.findIndex((batch) => batch.has(workspace));
      expect(first).toBeLessThanOrEqual(1);
      expect(taken[first]?.get(workspace)).toBe(3);
    }
    const sum = (workspace: string): number =>
      taken.reduce((all, batch) => all + (batch.get(workspace) ?? 0), 0);
    expect(storms.map(sum)).toEqual([1_500, 900]);
    for (const batch of taken)
      for (const count of batch.values()) expect(count).toBeLessThanOrEqual(200);
  });

  it('go round when a batch is full in the middle', async () => {
    const many = await Promise.all(Array.from({ length: 6 }, () => aStorm(30)));

    const taken = await batches(50);

    const all = taken.flatMap((batch) => [...batch]);
    for (const workspace of many)
      expect(all.filter(([owner]) => owner === workspace)).not.toHaveLength(0);
    expect(all.reduce((sum, [, count]) => sum + count, 0)).toBe(180);
    expect((await sqlOver(database.system).rows('select 1 from facts')).length).toBe(0);
  });
});
