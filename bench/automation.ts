/** (j) Automations: from a person's message to the automation's reply, and runs that wait, for moments and for days. */
import { setTimeout as sleep } from 'node:timers/promises';
import { newAutomation } from '../src/automations/schema.ts';
import { createAutomation } from '../src/automations/service.ts';
import { activateAutomation } from '../src/automations/transitions.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { addNumber } from '../src/numbers/service.ts';
import type { LedgerEntry } from '../src/simulator/sending/ledger.ts';
import { until } from '../test/support/processes/child.ts';
import { figures, type Run, workflowsOf } from './support/automation-figures.ts';
import { meter, type Watched } from './support/cpu.ts';
import { machineNow } from './support/machine-clock.ts';
import { phoneOf } from './support/people.ts';
import { report } from './support/report.ts';
import { apiAndWorker, type BenchStage, onBenchStage } from './support/stage.ts';
import { aWorkspace } from './support/workspaces.ts';

export interface AutomationSizes {
  readonly runs: number;
  /** Messages of people a second: to an automation that answers, and to those whose runs wait. */
  readonly pace: { readonly replies: number; readonly runs: number };
  readonly seconds: number;
}

interface Stage extends BenchStage {
  readonly watched: readonly Watched[];
}

const END = { id: 'end', type: 'end' };
const say = (id: string, next: string) => ({ id, type: 'send_message', text: 'Olá!', next });

/** What a run does. */
interface Kind {
  readonly what: string;
  readonly steps: readonly object[];
  /** How often it says something. */
  readonly says: number;
}

const ANSWERS: Kind = { what: 'says and ends', steps: [say('answer', 'end'), END], says: 1 };
const WAITS: Kind = {
  what: 'says, waits a second and says again',
  steps: [
    say('answer', 'moment'),
    { id: 'moment', type: 'wait', duration: 'PT1S', next: 'again' },
    say('again', 'end'),
    END,
  ],
  says: 2,
};
const ASKS: Kind = {
  what: 'asks and waits a day for the answer, in a workflow',
  steps: [
    say('answer', 'listen'),
    { id: 'listen', type: 'wait_for_reply', timeout: 'P1D', next: 'end', on_timeout: 'end' },
    END,
  ],
  says: 1,
};
const WAIT_MS = 1_000;
/** A workspace with a number, and an automation that each message to it starts. */
async function aShop({ database, processes }: Stage, { steps }: Kind) {
  const ctx = await aWorkspace(database);
  const number = await addNumber(
    ctx,
    { name: 'Bench', phone: phoneOf(900_000), provider: 'sandbox', accessToken: 'bench' },
    createKeyring(processes.encryptionKeys),
  );
  const trigger = { type: 'message_received' };
  const draft = newAutomation.parse({ name: 'Bench', trigger, steps });
  const { id } = await createAutomation(ctx, draft, { trustedOrigins: [] });
  await activateAutomation(ctx, id);
  return { organizationId: ctx.organizationId, phoneNumberId: number.phoneNumberId ?? '' };
}

/** One message after another, evenly spaced, each of a person of its own. @returns when each was written */
async function write(
  { processes }: Stage,
  phoneNumberId: string,
  pace: number,
  seconds: number,
): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  const posts: Promise<Response>[] = [];
  const startedAt = machineNow();
  for (let n = 0; n < pace * seconds; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / pace - machineNow()));
    const from = phoneOf(n);
    written.set(from, Date.now());
    posts.push(
      fetch(`${processes.simulator.url}/simulator/inbound`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ phone_number_id: phoneNumberId, from, text: 'Oi' }),
      }),
    );
  }
  const refused = (await Promise.all(posts)).find(({ ok }) => !ok);
  if (refused) throw new Error(`the simulator said ${refused.status}: ${await refused.text()}`);
  return written;
}

/** What the number said, by the person, oldest first. */
async function said(
  { processes }: Stage,
  phoneNumberId: string,
): Promise<Map<string, LedgerEntry[]>> {
  const entries = await processes.simulator.accepted();
  const own = entries.filter((entry) => entry.phone_number_id === phoneNumberId);
  return Map.groupBy(own, ({ to }) => (to.startsWith('+') ? to : `+${to}`));
}

/** Commands to Temporal that are not done: runs whose workflow is to be started. */
async function commandsLeft({ database }: Stage): Promise<number> {
  const text = 'select count(*)::int as left from facts where not is_event';
  const { rows } = await database.system.query<{ left: number }>(text);
  return rows[0]?.left ?? 0;
}

async function run(stage: Stage, kind: Kind, pace: number, seconds: number): Promise<Run> {
  const { organizationId, phoneNumberId } = await aShop(stage, kind);
  const each = kind.says;
  await sleep(500);
  const used = meter(stage.watched);
  const written = await write(stage, phoneNumberId, pace, seconds);
  const expected = written.size * each;
  const count = async (): Promise<number> =>
    [...(await said(stage, phoneNumberId)).values()].flat().length;
  const options = { timeoutMs: 120_000, everyMs: 500 };
  await until('everything was said', async () => (await count()) >= expected, options);
  const saidAt = machineNow();
  await until('every workflow was started', async () => (await commandsLeft(stage)) === 0, options);
  const startedMs = machineNow() - saidAt;
  const usage = used();
  const answers = await said(stage, phoneNumberId);
  const heard = [...written].map(([phone, at]) => {
    const [first, second] = answers.get(phone) ?? [];
    if (!first || answers.get(phone)?.length !== each)
      throw new Error(`${phone} got ${answers.get(phone)?.length ?? 0} messages of ${each}`);
    return { wait: first.t - at, late: second ? second.t - first.t - WAIT_MS : 0 };
  });
  return {
    waits: heard.map(({ wait }) => wait),
    late: heard.map(({ late }) => late),
    startedMs,
    usage,
    ...(await workflowsOf(stage.database, stage.client, organizationId)),
  };
}

async function measure(
  stage: Stage,
  kind: Kind,
  pace: number,
  { runs, seconds }: AutomationSizes,
): Promise<boolean> {
  const done: Run[] = [];
  for (let n = 0; n < runs; n++) {
    done.push(await run(stage, kind, pace, seconds));
    await sleep(2_000);
  }
  return report(
    `(j) ${pace} messages of people a second for ${seconds} s, each starts a run that ${kind.what}; ${runs} runs`,
    figures(done, { people: pace * seconds, seconds, isCalm: kind === ANSWERS }),
    done.map((one) => one.usage.elsewhere),
  );
}

/** Throws when somebody is not answered, or twice. */
export const benchAutomation = (sizes: AutomationSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const stage = { ...scene, watched: await apiAndWorker(scene) };
    await run(stage, WAITS, 20, 3);
    const replies = await measure(stage, ANSWERS, sizes.pace.replies, sizes);
    const waiting = await measure(stage, WAITS, sizes.pace.runs, sizes);
    const asking = await measure(stage, ASKS, sizes.pace.runs, sizes);
    return replies && waiting && asking;
  });
