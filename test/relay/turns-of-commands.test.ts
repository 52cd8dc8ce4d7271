import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { createLog } from '../../src/log.ts';
import { recordCommand } from '../../src/outbox/record.ts';
import { relayCommands } from '../../src/relay/commands.ts';
import type { TemporalCalls } from '../../src/relay/temporal-calls.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { relayScene } from '../support/relay-scene.ts';

const MANY = 250;

const { scene } = relayScene();

/** Hundreds of commands of one workspace, then one of another; and a relay that notes what Temporal was asked for. */
async function aBacklog() {
  const busy = await aWorkspace(scene.database);
  const quiet = await aWorkspace(scene.database);
  const campaignId = newId('cmp');
  const runIds = Array.from({ length: MANY }, () => newId('run'));
  await transact(busy.ctx, async (tx) => {
    for (const runId of runIds) await recordCommand(tx, 'run.waiting', { runId });
  });
  await transact(quiet.ctx, (tx) => recordCommand(tx, 'campaign.started', { campaignId }));
  const asked: string[] = [];
  const calls: TemporalCalls = {
    perform: async ({ workflowId }) => {
      asked.push(workflowId);
    },
  };
  const log = createLog({ level: 'silent', format: 'json' });
  const relay = (most?: number) =>
    relayCommands({ database: scene.database, token: newId('fct'), calls, log }, most);
  const mine = `campaign:${campaignId}`;
  const all = [mine, ...runIds.map((runId) => `run:${runId}`)].toSorted();
  return { asked, relay, mine, all };
}

it.each([
  ['a batch', undefined],
  ['a probe, while Temporal does not answer', 4],
])('a command behind hundreds of another workspace is in the first of %s', async (_, most) => {
  const { asked, relay, mine } = await aBacklog();

  await relay(most);

  expect(asked).toContain(mine);
  while ((await relay()).taken > 0);
});

it('commands of both are relayed once each, by however many processes', async () => {
  const { asked, relay, all } = await aBacklog();
  const emptied = async (): Promise<void> => {
    while ((await relay()).taken > 0);
  };

  await Promise.all([emptied(), emptied(), emptied()]);

  expect(asked.toSorted()).toEqual(all);
});
