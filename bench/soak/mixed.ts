/** (p) Everything at once for hours: reads, writes, people, campaigns, automations, reminders, hostile endpoints, kills. */
import fs from 'node:fs';
import { openClient } from '../../test/chaos/random/client.ts';
import { type Crew, openCrew } from '../../test/chaos/random/crew.ts';
import { hurtAll } from '../../test/chaos/random/deeds.ts';
import { type Ground, onGround } from '../../test/chaos/random/ground.ts';
import { openLoad } from '../../test/chaos/random/load.ts';
import { judge } from '../../test/chaos/random/promises.ts';
import { inFlightOf, linesOf, type Report, reportOf } from '../../test/chaos/random/report.ts';
import { rest } from '../../test/chaos/random/rest.ts';
import { type ChaosScene, EVENTS, setChaosScene } from '../../test/chaos/random/scene.ts';
import { type ChaosStage, onChaosStage } from '../../test/chaos/support/stage.ts';
import { endRun, openRunFolder } from '../../test/support/run-folder.ts';
import { MISBEHAVING } from '../support/behaviours.ts';
import { type Opened, type Receivers, startReceivers } from '../support/receivers.ts';
import { type HostileEndpoints, hostileEndpoints } from './hostile.ts';
import { pageOf } from './page.ts';
import { openReaders } from './readers.ts';
import { largest, watch } from './watching.ts';

export interface MixedSizes {
  readonly minutes: number;
  readonly seed: number;
  /** Seconds between two deeds, at least and at most. */
  readonly pauseSeconds: readonly [number, number];
  /** A page is written there. */
  readonly report: string | undefined;
}

/** A minute; all together some 0.4 cores with the kills. */
const PACE = { recipients: 60, events: 100, runs: 24, reminders: 2, deals: 2 };
const READS_A_SECOND = 3;
/** One of each lives through the whole time: that its memory does not grow is seen only then. */
const SPARED = ['api 2', 'worker 2'];
const BACKOFF_SCALE = '0.002';
const REST_MS = 900_000;

interface Theatre {
  readonly sizes: MixedSizes;
  readonly stage: ChaosStage;
  readonly ground: Ground;
  readonly hostile: HostileEndpoints;
  readonly startedAt: Date;
}

/** Answers whether every promise held. */
export async function mixedSoak(sizes: MixedSizes): Promise<boolean> {
  // On disk, unlike the data of tests.
  const { path } = openRunFolder('/tmp');
  process.env['TEST_RUN_FOLDER'] = path;
  const receivers = await startReceivers();
  const startedAt = new Date();
  let holds = false;
  console.log(`seed ${sizes.seed}`);
  try {
    const opened = await receivers.open(MISBEHAVING);
    await onGround((ground) =>
      onChaosStage(stageOptions(ground, receivers, opened), async (stage) => {
        const deals = Math.ceil(PACE.deals * sizes.minutes);
        const hostile = await hostileEndpoints(stage, receivers, opened, deals);
        holds = await play({ sizes, stage, ground, hostile, startedAt });
      }),
    );
  } finally {
    await receivers.kill();
    await endRun(path);
  }
  return holds;
}

const stageOptions = (
  { cluster, temporal }: Ground,
  { nameServer }: Receivers,
  opened: readonly Opened[],
) => ({
  database: cluster,
  temporalAddress: temporal.address,
  events: EVENTS,
  trustedOrigins: opened.filter(({ trusted }) => trusted).map(({ origin }) => origin),
  environment: {
    BACKOFF_SCALE,
    NODE_OPTIONS: `--import ${new URL('../children/own-name-server.ts', import.meta.url).href}`,
    BENCH_NAME_SERVER: nameServer,
  },
});

async function play(theatre: Theatre): Promise<boolean> {
  const { sizes, stage, ground, hostile, startedAt } = theatre;
  const scene = await setChaosScene(stage);
  const crew = await openCrew(stage, ground, SPARED);
  const watching = watch({ stage, crew, ground }, (look) => console.log(JSON.stringify(look)));
  try {
    const report = await hurtAndJudge(theatre, scene, crew);
    await watching.stop();
    const page = pageOf({
      report,
      minutes: sizes.minutes,
      spared: SPARED,
      looks: watching.looks,
      hostile: hostile.table,
      relations: await largest(stage),
      startedAt,
    });
    if (sizes.report) fs.writeFileSync(sizes.report, page);
    else console.log(page);
    for (const line of linesOf(report)) console.log(line);
    return report.holds;
  } finally {
    crew.dismiss();
  }
}

async function hurtAndJudge(
  { sizes, stage, hostile, startedAt }: Theatre,
  scene: ChaosScene,
  crew: Crew,
): Promise<Report> {
  const of = (aMinute: number): number => Math.ceil(aMinute * sizes.minutes);
  const loads = {
    recipients: of(PACE.recipients),
    events: of(PACE.events),
    runs: of(PACE.runs),
    reminders: of(PACE.reminders),
  };
  const people = await stage.people(loads.recipients);
  const client = openClient(stage, crew, scene.apiKeys);
  const readers = openReaders(stage, crew, scene, READS_A_SECOND);
  const began = Date.now();
  const lastsMs = sizes.minutes * 60_000;
  const progress = (): number => (Date.now() - began) / lastsMs;
  const load = openLoad({ stage, scene, client }, loads, people, progress);
  const dealing = hostile.feed(client, people, progress);
  dealing.catch(() => {});
  const rhythm = {
    seed: sizes.seed,
    pauseMs: sizes.pauseSeconds.map((seconds) => seconds * 1_000) as [number, number],
    goesOn: () => progress() < 1,
  };
  let kills = 0;
  const { log, doubtful } = await hurtAll(rhythm, { stage, crew }, (deed, so) => {
    kills = so;
    console.log(`${so} kills at ${deed.at} s: ${deed.kind} (${deed.part})`);
  });
  const hurt = Date.now();
  const unrest = await dealing
    .then(() => rest({ stage, crew, load }, REST_MS))
    .then(
      () => null,
      (error: Error) => error.message.slice(0, 5_000),
    );
  const rested = Date.now();
  await readers.stop();
  const evidence = { stage, crew, client, load, inFlight: inFlightOf(log), doubtful, kills };
  const promises = await judge(evidence, [readers.pledge, hostile.pledge]);
  const seconds = (from: number, to: number): number => Math.round((to - from) / 1_000);
  return reportOf({ ...loads, kills, seed: sizes.seed }, log, {
    promises,
    unrest,
    seconds: {
      setUp: seconds(startedAt.getTime(), began),
      kills: seconds(began, hurt),
      rest: seconds(hurt, rested),
      all: seconds(startedAt.getTime(), Date.now()),
    },
  });
}
