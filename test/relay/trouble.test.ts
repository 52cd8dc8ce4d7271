import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { commandFact, insertFacts } from '../../src/outbox/record.ts';
import { announcePresence } from '../../src/relay/processes/presence.ts';
import { keepTemporalSetUp } from '../../src/relay/temporal-setup.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { devServer } from '../support/env.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, stop, anEndpointOf, facts } = relayScene();

describe('trouble of our own', () => {
  it('ends a delivery whose stored secret is broken as failed, and delivers the others', async () => {
    const broken = await anEndpointOf();
    const sound = await anEndpointOf();
    await inWorkspace(scene.database, broken.workspaceId, (sql) =>
      sql.rows("update webhook_endpoints set secret = 'v1|test|AAAA|AAAA|AAAA'"),
    );
    await start();

    await sentEvents(scene.database, broken.workspaceId);
    await sentEvents(scene.database, sound.workspaceId);
    await eventually(() => sound.all('succeeded', 1));
    await eventually(() => broken.all('failed', 1));

    expect(await broken.deliveries()).toMatchObject([{ error: 'internal' }]);
  });

  it('lets deliveries wait for a key that is not configured, counted as postponed and not as an attempt', async () => {
    const { workspaceId, deliveries, all } = await anEndpointOf();
    const keyring = createKeyring(`other:${Buffer.alloc(32, 9).toString('base64')}`);
    const postponed: string[] = [];
    const onPostponed = (reason: string): unknown => postponed.push(reason);
    const began = performance.now();
    const relay = await start({ parts: { keyring, onPostponed } });
    await sentEvents(scene.database, workspaceId);
    await eventually(async () => (await deliveries()).length === 1);
    await eventually(() => postponed.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(new Set(postponed)).toEqual(new Set(['missing_key']));
    // Once, and again after five seconds, which a busy machine may have needed already.
    expect(postponed.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 5_000);
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }]);

    await stop(relay);
    await start();
    await eventually(() => all('succeeded', 1));
  });

  it('keeps commands while Temporal is away, and delivers all the same', async () => {
    const { workspaceId, all } = await anEndpointOf();
    const command = commandFact('campaign.started', { campaignId: 'cmp_1' });
    await inWorkspace(scene.database, workspaceId, (sql) =>
      insertFacts(sql, workspaceId, [command]),
    );
    const { relay } = await start();

    await sentEvents(scene.database, workspaceId, 10);
    await eventually(() => all('succeeded', 10));
    await eventually(async () => ((await facts(workspaceId))[0]?.tries ?? 0) > 0);

    expect(await facts(workspaceId)).toMatchObject([{ type: 'campaign.started', dead: false }]);
    expect(relay.problem()).toBeNull();
  });

  it('sets a command aside that nobody understands, after three tries', async () => {
    const { workspaceId } = await anEndpointOf();
    await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows(
        "insert into facts (organization_id, id, type, is_event, payload) values ($1, 'fct_x', 'no.such', false, '{}'), ($1, 'fct_y', 'campaign.changed', false, 'no json')",
        [workspaceId],
      ),
    );
    await start();

    await eventually(async () => (await facts(workspaceId)).every((fact) => fact.dead));

    expect(await facts(workspaceId)).toMatchObject([{ tries: 3 }, { tries: 3 }]);
  });

  it('refuses to start beside a worker with another namespace of Temporal, and starts when that one has ended', async () => {
    const temporal = connectTemporal({ address: '127.0.0.1:1', namespace: 'elsewhere' });
    const parts = { client: temporal.client };
    const first = await start();

    await expect(start({ parts })).rejects.toThrow(
      /^TEMPORAL_NAMESPACE is "elsewhere", and other workers of this database use "default" \(1 at this moment\)/,
    );
    expect(first.relay.problem()).toBeNull();
    await stop(first);
    await stop(await start({ parts }));
    await temporal.close();
  });

  it('says in the log, once, that other workers use another Temporal server, and counts none when one was replaced for all', async () => {
    const { url } = scene.testDatabase;
    const own = announcePresence({ url });
    const other = announcePresence({ url });
    await Promise.all([own.ready, other.ready]);
    await other.showServer('before');
    const said: string[] = [];
    const shown: string[] = [];
    const showServer = (id: string) => {
      shown.push(id);
      return own.showServer(id);
    };
    const temporal = connectTemporal({ address: devServer().address, namespace: 'default' });
    const log = pino({ level: 'error' }, { write: (line) => said.push(line) });

    const keeper = keepTemporalSetUp({ temporal, taskQueue: 'trouble', showServer }, log, 20);
    keeper.start();
    await eventually(() => shown.length > 4);
    // A busy server may have been too late at one of the looks.
    await eventually(() => keeper.problem() === null);
    await keeper.stop();

    // Files of tests share a namespace, so upkeep may run on the queue of another.
    const ofServers = said.filter((line) => !line.includes('upkeep:'));
    expect(ofServers).toEqual([expect.stringContaining('set the same TEMPORAL_ADDRESS for all')]);
    expect(await other.showServer(shown[0] ?? '')).toBe(0);
    expect(await own.showServer(shown[0] ?? '')).toBe(0);
    await Promise.all([own.close(), other.close(), temporal.close()]);
  });
});
