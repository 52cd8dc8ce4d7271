import { onPostgresWire, type PostgresWire } from '../../support/postgres-wire.ts';
import { onStage, type Stage } from '../support/stage.ts';
import { openClient } from './client.ts';
import { openCrew } from './crew.ts';
import { onGround } from './ground.ts';
import { type LoadSizes, openLoad } from './load.ts';
import { judge, type Verdict } from './promises.ts';
import { rest } from './rest.ts';
import { EVENTS, setScene } from './scene.ts';

export interface WiredPlay {
  readonly sizes: LoadSizes;
  /** For how long things are begun. */
  readonly loadMs: number;
  readonly restMs: number;
  /**
   * What happens to the wire meanwhile.
   *
   * @param fed resolves when everything is begun.
   * @returns how many messages were on their way when something happened that leaves them in doubt
   */
  trouble(wire: PostgresWire, fed: Promise<void>, stage: Stage): Promise<number>;
}

/**
 * Processes that reach PostgreSQL by a wire, and nobody is killed: everything is begun bit by bit, comes to rest, and
 * is judged.
 */
export async function playOnWire({
  sizes,
  loadMs,
  restMs,
  trouble,
}: WiredPlay): Promise<Verdict[]> {
  let verdicts: Verdict[] = [];
  await onGround(({ cluster, temporal }) =>
    onPostgresWire(cluster.url, (wire) => {
      const place = { database: cluster, temporalAddress: temporal.address };
      const environment = { DATABASE_URL: wire.url };
      return onStage({ ...place, events: EVENTS, environment }, async (stage) => {
        const scene = await setScene(stage);
        const people = await stage.people(sizes.recipients);
        const crew = await openCrew(stage, { cluster, temporal });
        const client = openClient(stage, crew, scene.apiKeys);
        const began = Date.now();
        const progress = (): number => (Date.now() - began) / loadMs;
        const load = openLoad({ stage, scene, client }, sizes, people, progress);
        const inFlight = await trouble(wire, load.fed(), stage);
        await rest({ stage, crew, load }, restMs);
        verdicts = await judge({ stage, crew, client, load, inFlight, kills: 1 });
        crew.dismiss();
      });
    }),
  );
  return verdicts;
}
