import { describe, expect, it } from '@jest/globals';
import { openClient } from './random/client.ts';
import { openCrew } from './random/crew.ts';
import { type Ground, onGround } from './random/ground.ts';
import { openLoad } from './random/load.ts';
import { judge, type Verdict } from './random/promises.ts';
import { rest } from './random/rest.ts';
import { EVENTS, setScene } from './random/scene.ts';
import { type LosingWire, onLosingWire } from './support/losing-wire.ts';
import { onStage } from './support/stage.ts';

const SIZES = { recipients: 200, events: 200, runs: 30, reminders: 9 };
const LOAD_MS = 15_000;
/** One of ten commits is never heard of. */
const SHARE = 0.1;
const REST_MS = 180_000;

/** Everything is under way while answers get lost; then it comes to rest. Nobody died, so nothing may be in doubt. */
async function play(ground: Ground, wire: LosingWire): Promise<Verdict[]> {
  const place = { database: ground.cluster, temporalAddress: ground.temporal.address };
  const environment = { DATABASE_URL: wire.url };
  let verdicts: Verdict[] = [];
  await onStage({ ...place, events: EVENTS, environment }, async (stage) => {
    const scene = await setScene(stage);
    const people = await stage.people(SIZES.recipients);
    const crew = await openCrew(stage, ground);
    const client = openClient(stage, crew, scene.apiKeys);
    wire.lose(SHARE);
    const began = Date.now();
    const progress = (): number => (Date.now() - began) / LOAD_MS;
    const load = openLoad({ stage, scene, client }, SIZES, people, progress);
    await load.fed();
    wire.lose(0);
    await rest({ stage, crew, load }, REST_MS);
    verdicts = await judge({ stage, crew, client, load, inFlight: 0, kills: 1 });
    crew.dismiss();
  });
  return verdicts;
}

describe('a database that commits without being able to say so', () => {
  it('costs nobody a message or a webhook, leaves nothing in doubt, and repeats nothing', async () => {
    let lost = 0;
    let verdicts: Verdict[] = [];

    await onGround((ground) =>
      onLosingWire(ground.cluster.url, async (wire) => {
        verdicts = await play(ground, wire);
        lost = wire.lost;
      }),
    );

    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    const { figures } = verdicts.find(({ id }) => id === 'I3') ?? {};
    expect(figures).toMatchObject({ beyond: 0 });
    expect(lost).toBeGreaterThan(20);
  }, 400_000);
});
