import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import { fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, stop, anEndpointOf } = relayScene();

describe('after a process died', () => {
  it('what it had in hand is delivered by another one within seconds, long before its lease ends', async () => {
    const { workspaceId, all } = await anEndpointOf();
    await sentEvents(scene.database, workspaceId, 20);
    await fanOut(sqlOver(scene.database.system), { token: '424242', full: [] }, 100);
    await sqlOver(scene.database.system).rows(
      "update webhook_deliveries set lease_until = now() + interval '100 seconds' where lease_token = '424242'",
    );

    await start();
    await eventually(() => all('succeeded', 20));

    expect(scene.receiver.received).toHaveLength(20);
  });

  it('what a living one has in hand is left to it', async () => {
    const { workspaceId, all } = await anEndpointOf();
    scene.receiver.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      return { status: 200 };
    };
    await start({ deadlineMs: 60_000 });
    await sentEvents(scene.database, workspaceId, 4);
    await scene.receiver.waitFor(4);

    await start();
    await eventually(() => all('succeeded', 4));

    expect(scene.receiver.received).toHaveLength(4);
  });

  it('its results come too late to change what the next owner wrote', async () => {
    const { workspaceId, deliveries, all } = await anEndpointOf();
    const taken = Promise.withResolvers<void>();
    let slow = true;
    scene.receiver.answer = async () => {
      if (!slow) return { status: 200 };
      slow = false;
      await taken.promise;
      return { status: 500 };
    };
    await start();
    await sentEvents(scene.database, workspaceId);
    await eventually(async () => (await deliveries()).length === 1);
    await sqlOver(scene.database.system).rows(
      "update webhook_deliveries set lease_token = 'another' where id = $1",
      [(await deliveries())[0]?.id],
    );
    taken.resolve();

    await eventually(() => all('succeeded', 1));
    await new Promise((resolve) => setTimeout(resolve, 1_500));

    expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  });
});

describe('when it ends in good order', () => {
  it('finishes what is in flight, writes it down and gives the rest back at once', async () => {
    const { workspaceId, deliveries } = await anEndpointOf();
    scene.receiver.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { status: 200 };
    };
    const relay = await start();
    await sentEvents(scene.database, workspaceId, 30);
    await scene.receiver.waitFor(8);

    await stop(relay);

    const rows = await deliveries();
    const done = rows.filter((row) => row.status === 'succeeded');
    expect(done).toHaveLength(scene.receiver.received.length);
    expect(rows.filter((row) => row.status === 'pending')).toHaveLength(30 - done.length);

    scene.receiver.answer = () => ({ status: 200 });
    await start();
    await scene.receiver.waitFor(30);
    expect(new Set(scene.receiver.received.map((request) => request.body)).size).toBe(30);
    expect(scene.receiver.received).toHaveLength(30);
  });
});
