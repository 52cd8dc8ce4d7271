import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { until } from '../support/house/child.ts';
import {
  acceptedAtLeast,
  acceptedSettled,
  begin,
  unconfirmed,
  unrecorded,
} from './support/acts.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { lookAt } from './support/operator.ts';
import { onStage } from './support/stage.ts';

/** 64 in flight and 32 claimed ahead. */
const RESERVED = 96;

/** A wire to a server that can be cut and mended. */
async function openWire(address: string) {
  const [host = '', port = ''] = address.split(':');
  const sockets = new Set<Socket>();
  let cut = false;
  const server = createServer((near) => {
    if (cut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      cut = true;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    mend: () => {
      cut = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a worker that cannot reach Temporal any more', () => {
  it(
    'loses its campaign to another one, and nobody is lost or sent to twice, also when it is back',
    () =>
      onStage({}, async (stage) => {
        const { simulator, start } = stage.house;
        await simulator.faults({ latency_ms: 1_000 });
        const wire = await openWire(stage.temporalAddress);
        const [api] = await Promise.all([
          start('api'),
          start('worker', { TEMPORAL_ADDRESS: wire.address }),
        ]);
        const campaign = await stage.aCampaign(1_200);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 20);
        // Slower while the other one starts, however long that takes, so that there is something left to do.
        await simulator.faults({ latency_ms: 5_000 });
        const other = await start('worker');

        wire.cut();
        await until(
          'the other one sends',
          async () => (await lookAt(stage, campaign)).senderPid === other.pid,
        );
        wire.mend();
        await simulator.faults({});
        await acceptedSettled(stage);
        await quiet(stage);

        const { missing } = await unconfirmed(stage);
        expect(missing).toBeLessThanOrEqual(RESERVED);
        expect(await simulator.accepted()).toHaveLength(1_200 - missing);
        const { length: spare } = await unrecorded(stage);
        await invariantsHold(stage, api, { campaigns: [campaign], spare });
        wire.close();
      }),
    300_000,
  );
});
