import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { until } from '../support/processes/child.ts';
import { death, dies } from './support/acts.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
const RUNS = 40;

const STEPS = [
  { id: 'hello', type: 'send_message', text: 'hello', next: 'tag' },
  { id: 'tag', type: 'add_tag', tag: 'greeted', next: 'pause' },
  { id: 'pause', type: 'wait', duration: 'PT2S', next: 'again' },
  { id: 'again', type: 'send_message', text: 'again', next: 'end' },
  { id: 'end', type: 'end' },
];

/** So many new people to each of whom the beginning of a run happens. */
async function begin(stage: ChaosStage, automationId: string): Promise<void> {
  for (const contactId of await stage.people(RUNS)) {
    await stage.rows(
      `insert into automation_triggers (organization_id, id, automation_id, contact_id, trigger, created_at)
       values ($1, $2, $3, $4, '{"type": "manual", "ref": null}', now())`,
      [stage.organizationId, newId('fct'), automationId, contactId],
    );
  }
}

const succeeded = (stage: ChaosStage) =>
  stage.rows("select from automation_runs where status = 'succeeded'");

/** A worker that dies at the point in the middle of the runs; another one is started, and all of them end. */
async function dieInRuns(stage: ChaosStage, point: string): Promise<void> {
  const { id } = await anActiveAutomation(stage.ctx, { trigger: { type: 'manual' }, steps: STEPS });
  const worker = await stage.processes.start('worker', dies(point, 60));
  await begin(stage, id);
  await death(worker);
  expect(await succeeded(stage)).not.toHaveLength(RUNS);
  await stage.processes.start('worker');
  await until('all runs end', async () => (await succeeded(stage)).length === RUNS);
}

async function everyEffectOnce(stage: ChaosStage): Promise<void> {
  const steps = await stage.rows<{ taken: string }>(
    `select string_agg(step_id || ' ' || status, ', ' order by seq) as taken
     from automation_run_steps group by run_id`,
  );
  expect(new Set(steps.map(({ taken }) => taken))).toEqual(
    new Set([STEPS.map(({ id }) => `${id} succeeded`).join(', ')]),
  );
  expect(steps).toHaveLength(RUNS);
  const said = await stage.rows<{ run_id: string; text: string; times: number }>(
    'select run_id, text, count(*)::int as times from messages group by run_id, text',
  );
  expect(said).toHaveLength(2 * RUNS);
  expect(said.filter(({ times }) => times !== 1)).toEqual([]);
  expect(await stage.rows('select from automation_triggers')).toEqual([]);
  const keys = (await stage.processes.simulator.accepted()).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
}

describe('in the middle of runs of an automation', () => {
  it.concurrent.each([
    ['before a step is committed', 'before-commit'],
    ['after a step was committed', 'after-commit'],
  ])(
    'a worker killed %s: every run ends, and each of its steps had its effect once',
    (_, point) =>
      onChaosStage({}, async (stage) => {
        await dieInRuns(stage, point);

        await everyEffectOnce(stage);
      }),
    LIMIT_MS,
  );
});
