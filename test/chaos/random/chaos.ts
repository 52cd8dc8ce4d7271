import { type ChaosStage, onChaosStage } from '../support/stage.ts';
import { openClient } from './client.ts';
import { openCrew } from './crew.ts';
import { hurtAll } from './deeds.ts';
import { type Ground, onGround } from './ground.ts';
import { openLoad } from './load.ts';
import { judge } from './promises.ts';
import { type ChaosSizes, inFlightOf, type Report, reportOf } from './report.ts';
import { rest } from './rest.ts';
import { EVENTS, setChaosScene } from './scene.ts';

const PAUSE_MS = [1_000, 4_000] as const;
const REST_MS = 300_000;

/**
 * Campaigns, events, runs of automations and reminders, while parts of the service are killed at random; then
 * everything comes to rest and is judged.
 *
 * @param say called with a line for each deed.
 */
export async function chaos(sizes: ChaosSizes, say: (line: string) => void): Promise<Report> {
  let report: Report | null = null;
  const startedAt = Date.now();
  await onGround((ground) =>
    onChaosStage(
      { database: ground.cluster, temporalAddress: ground.temporal.address, events: EVENTS },
      async (stage) => {
        report = await play(sizes, { stage, ground, startedAt, say });
      },
    ),
  );
  if (!report) throw new TypeError('there is no report');
  return report;
}

interface Theatre {
  readonly stage: ChaosStage;
  readonly ground: Ground;
  readonly startedAt: number;
  readonly say: (line: string) => void;
}

async function play(sizes: ChaosSizes, theatre: Theatre): Promise<Report> {
  const { stage, ground, startedAt, say } = theatre;
  const scene = await setChaosScene(stage);
  const people = await stage.people(sizes.recipients);
  const crew = await openCrew(stage, ground);
  try {
    const client = openClient(stage, crew, scene.apiKeys);
    let killed = 0;
    const progress = (): number => killed / sizes.kills;
    const load = openLoad({ stage, scene, client }, sizes, people, progress);
    const began = Date.now();
    const rhythm = {
      seed: sizes.seed,
      pauseMs: PAUSE_MS,
      goesOn: (kills: number) => kills < sizes.kills,
    };
    const { log, doubtful } = await hurtAll(
      rhythm,
      { stage, crew },
      ({ at, kind, part }, kills) => {
        killed = kills;
        say(`${kills}/${sizes.kills} at ${at} s: ${kind} (${part})`);
      },
    );
    const hurt = Date.now();
    const unrest = await rest({ stage, crew, load }, REST_MS).then(
      () => null,
      (error: Error) => error.message.slice(0, 5_000),
    );
    const rested = Date.now();
    const inFlight = inFlightOf(log);
    const { kills } = sizes;
    const promises = await judge({ stage, crew, client, load, inFlight, doubtful, kills });
    const seconds = (from: number, to: number): number => Math.round((to - from) / 1_000);
    return reportOf(sizes, log, {
      promises,
      unrest,
      seconds: {
        setUp: seconds(startedAt, began),
        kills: seconds(began, hurt),
        rest: seconds(hurt, rested),
        all: seconds(startedAt, Date.now()),
      },
    });
  } finally {
    crew.dismiss();
  }
}
