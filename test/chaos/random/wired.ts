import { onPostgresWire, type PostgresWire } from '../../support/postgres-wire.ts';
import { openWire, type Wire } from '../../support/wire.ts';
import { type ChaosStage, onChaosStage } from '../support/stage.ts';
import { openClient } from './client.ts';
import { openCrew } from './crew.ts';
import type { Evidence } from './evidence.ts';
import { type Ground, onGround } from './ground.ts';
import { type LoadSizes, openLoad } from './load.ts';
import { judge, type Verdict } from './promises.ts';
import { rest } from './rest.ts';
import { EVENTS, setChaosScene } from './scene.ts';

/** By which every process reaches what it stands on. */
interface Wires {
  readonly database: PostgresWire;
  readonly temporal: Wire;
}

type InDoubt = Pick<Evidence, 'inFlight' | 'doubtful'>;

/** Nobody died, and every answer came. */
export const NO_DOUBT: InDoubt = { inFlight: 0, doubtful: new Map() };

export interface WiredPlay {
  readonly sizes: LoadSizes;
  /** For how long things are begun. */
  readonly loadMs: number;
  readonly restMs: number;
  /**
   * What happens to the wires meanwhile.
   *
   * @param fed resolves when everything is begun.
   * @returns what was on its way when something happened that leaves it in doubt
   */
  trouble(wires: Wires, fed: Promise<void>, stage: ChaosStage): Promise<InDoubt>;
}

/**
 * Processes that reach PostgreSQL and Temporal by wires, and nobody is killed: everything is begun bit by bit, comes to
 * rest, and is judged.
 */
export async function playOnWire({
  sizes,
  loadMs,
  restMs,
  trouble,
}: WiredPlay): Promise<Verdict[]> {
  let verdicts: Verdict[] = [];
  await onGround(({ cluster, temporal }) =>
    onWires({ cluster, temporal }, (wires) => {
      const place = { database: cluster, temporalAddress: temporal.address };
      const environment = {
        DATABASE_URL: wires.database.url,
        TEMPORAL_ADDRESS: wires.temporal.address,
      };
      return onChaosStage({ ...place, events: EVENTS, environment }, async (stage) => {
        const scene = await setChaosScene(stage);
        const people = await stage.people(sizes.recipients);
        const crew = await openCrew(stage, { cluster, temporal });
        const client = openClient(stage, crew, scene.apiKeys);
        const began = Date.now();
        const progress = (): number => (Date.now() - began) / loadMs;
        const load = openLoad({ stage, scene, client }, sizes, people, progress);
        const inDoubt = await trouble(wires, load.fed(), stage);
        await rest({ stage, crew, load }, restMs);
        verdicts = await judge({ stage, crew, client, load, ...inDoubt, kills: 1 });
        crew.dismiss();
      });
    }),
  );
  return verdicts;
}

const onWires = (
  { cluster, temporal }: Ground,
  play: (wires: Wires) => Promise<void>,
): Promise<void> =>
  onPostgresWire(cluster.url, async (database) => {
    const wire = await openWire(temporal.address);
    try {
      await play({ database, temporal: wire });
    } finally {
      wire.close();
    }
  });
