import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import { openWire } from '../support/wire.ts';
import {
  acceptedAtLeast,
  acceptedSettled,
  begin,
  unconfirmed,
  unrecorded,
} from './support/acts.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { lookAt } from './support/operator.ts';
import { onChaosStage } from './support/stage.ts';

/** 64 in flight and 32 claimed ahead. */
const RESERVED = 96;

describe('a worker that cannot reach Temporal any more', () => {
  it(
    'loses its campaign to another one, and nobody is lost or sent to twice, also when it is back',
    () =>
      onChaosStage({}, async (stage) => {
        const { simulator, start } = stage.processes;
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
