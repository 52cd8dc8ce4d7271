import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/house/child.ts';
import { quiet } from '../invariants.ts';
import { onStage, type Stage } from '../stage.ts';
import { openClient } from './client.ts';
import { type Crew, openCrew } from './crew.ts';
import { diceOf } from './dice.ts';
import { type Ground, onGround } from './ground.ts';
import { type Load, openLoad } from './load.ts';
import { judge } from './promises.ts';
import { type ChaosSizes, type Deed, type Report, reportOf } from './report.ts';
import { EVENTS, setScene } from './scene.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 4_000;
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
    onStage(
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
  readonly stage: Stage;
  readonly ground: Ground;
  readonly startedAt: number;
  readonly say: (line: string) => void;
}

async function play(sizes: ChaosSizes, theatre: Theatre): Promise<Report> {
  const { stage, ground, startedAt } = theatre;
  const scene = await setScene(stage);
  const people = await stage.people(sizes.recipients);
  const crew = await openCrew(stage, ground);
  try {
    const client = openClient(stage, crew, scene.apiKeys);
    const progress = { kills: 0 };
    const load = openLoad(
      { stage, scene, client },
      sizes,
      people,
      () => progress.kills / sizes.kills,
    );
    const began = Date.now();
    const log = await hurtAll(sizes, theatre, crew, progress);
    const hurt = Date.now();
    const unrest = await rest(stage, crew, load).then(
      () => null,
      (error: Error) => error.message.slice(0, 5_000),
    );
    const rested = Date.now();
    // Whoever sends asks nothing of an API that dies.
    const inFlight = log
      .filter(({ kind }) => kind !== 'api')
      .reduce((sum, deed) => sum + deed.inFlight, 0);
    const { kills } = sizes;
    const promises = await judge({ stage, crew, client, load, inFlight, kills });
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

/** One part after the other, every few seconds. */
async function hurtAll(
  { kills, seed }: ChaosSizes,
  { stage, say }: Theatre,
  crew: Crew,
  progress: { kills: number },
): Promise<Deed[]> {
  const began = Date.now();
  const dice = diceOf(seed);
  const log: Deed[] = [];
  while (progress.kills < kills) {
    await sleep(FIRST_PAUSE_MS + (LONGEST_PAUSE_MS - FIRST_PAUSE_MS) * dice.roll());
    const deed = await crew.hurt(dice);
    const at = Math.round((Date.now() - began) / 100) / 10;
    log.push({ at, ...deed, ...(await goingOn(stage)) });
    if (deed.kind !== 'halt') progress.kills += 1;
    say(`${progress.kills}/${kills} at ${at} s: ${deed.kind} (${deed.part})`);
  }
  return log;
}

const GOING_ON = `
select (select count(*)::int from messages m where m.direction = 'outbound' and m.status = 'sending' and m.campaign_id is null)
    + (select count(*)::int from campaign_recipients where status = 'sending') as "inFlight",
  (select count(*)::int from campaign_recipients where status in ('pending', 'sending')) as recipients,
  (select count(*)::int from facts where is_event)
    + (select count(*)::int from webhook_deliveries where finished_at is null) as events,
  (select count(*)::int from automation_runs where status in ('running', 'waiting'))
    + (select count(*)::int from automation_triggers) as runs,
  (select count(*)::int from reminder_runs where status = 'running') as reminders`;

/** As soon as PostgreSQL says so: it may be what was killed. */
async function goingOn(stage: Stage): Promise<Omit<Deed, 'at' | 'kind' | 'part'>> {
  for (;;) {
    const [row] = await stage.rows<Omit<Deed, 'at' | 'kind' | 'part'>>(GOING_ON).catch(() => []);
    if (row) return row;
    await sleep(20);
  }
}

/** Everything that was begun ends: what people wrote arrived, and statuses settled whatever WhatsApp accepted. */
async function rest(stage: Stage, crew: Crew, load: Load): Promise<void> {
  const options = { timeoutMs: REST_MS, everyMs: 500 };
  const heard = async (): Promise<boolean> =>
    (await load.crowd.written()).length <=
    (await count(stage, `select from messages where direction = 'inbound'`));
  await crew.whole();
  await load.fed();
  for (let round = 0; round < 2; round++) {
    await until('what people wrote has arrived', heard, options);
    await quiet(stage, REST_MS);
    await load.crowd.stop();
    if (round === 0) await load.reminders.end();
  }
  await until(
    'what WhatsApp accepted is settled',
    async () => {
      const keys = (await stage.house.simulator.accepted()).map(({ key }) => key);
      return (await count(stage, OPEN_OF, [keys])) === 0;
    },
    options,
  );
  await quiet(stage, REST_MS);
}

const OPEN_OF = `
select from messages m where m.id = any($1) and m.status in ('queued', 'sending', 'unconfirmed')
union all select from campaign_recipients r where r.message_id = any($1) and r.status in ('pending', 'sending', 'unconfirmed')`;

const count = async (stage: Stage, text: string, params: unknown[] = []): Promise<number> =>
  (await stage.rows(text, params)).length;
