import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { connectTemporal, PERSON_WAITS_MS, type Temporal } from '../../temporal/connection.ts';
import { views } from '../ops/links.ts';
import { repair } from '../ops/repair.ts';
import { findRow, type Row } from '../ops/rows.ts';
import { lookAtSchedule, scheduleOf } from '../ops/schedule.ts';
import { lookAt, type Seen } from '../ops/seen.ts';
import { judge, type Verdict } from '../ops/verdict.ts';
import { CommandError, createOutput, type Output, table } from '../output.ts';
import { remedy } from '../remedy.ts';
import {
  type Session,
  type Surroundings,
  surroundings,
  temporalNamespace,
  temporalOf,
  withSession,
} from '../session.ts';
import { holdingCommands } from './holding.ts';
import { inboundCommands } from './inbound.ts';

interface Common {
  readonly json?: boolean;
}

/** Commands for operators, to be used alongside the Temporal UI (docs/operations.md). */
export function opsCommands(program: Command): void {
  const ops = program
    .command('ops')
    .description('what an operator of the Temporal UI needs: where to look, what it means');
  const add = (usage: string, description: string): Command =>
    ops.command(usage).description(description).option('--json', 'print one JSON document');
  add('links', 'print the lists of the Temporal UI that are worth saving as views')
    .option('--workspace <id>', 'only what belongs to this workspace')
    .action(links);
  add('explain <id>', 'say what the row and the workflow of a thing say, and whether they agree')
    .addHelpText('after', IDS)
    .action(explain);
  add(
    'reconcile <id>',
    'start a workflow that is missing, or wake one that waits; end the row of a terminated one',
  )
    .option('--end', 'end it as Cancel in the Temporal UI would, whatever the workflow does')
    .addHelpText('after', IDS)
    .action(reconcile);
  holdingCommands(ops);
  inboundCommands(ops);
}

const IDS =
  '\nAn id as the API shows it (cmp_…, dlv_…, whk_…, imp_…, run_…, rem_…, atm_…) or as the Temporal UI does (campaign:cmp_…).';

async function links({ workspace, json }: Common & { workspace?: string }): Promise<void> {
  // The lists of one that there is not are empty, as if all were well.
  if (workspace !== undefined) await withSession(({ contextFor }) => contextFor(workspace));
  const around = surroundings();
  const uiUrl = around.config.TEMPORAL_UI_URL ?? around.run?.temporalUiUrl;
  if (!uiUrl)
    throw new CommandError(`No Temporal UI is known. ${remedy(around.config, 'TEMPORAL_UI_URL')}`);
  const namespace = temporalNamespace(around);
  const found = views({ uiUrl, namespace, workspace: workspace ?? null, now: new Date() });
  createOutput(json).result(
    found,
    found.flatMap(({ name, shows, url }) => [`${name}: ${shows}`, `  ${url}`]),
  );
}

async function explain(id: string, { json }: Common): Promise<void> {
  const output = createOutput(json);
  const schedule = scheduleOf(id);
  if (schedule) return withTemporal(surroundings(), explainSchedule(output, schedule));
  await withSession((session) =>
    withTemporal(session, async (temporal) => {
      tell(output, await compare(session, temporal, id));
    }),
  );
}

async function reconcile(id: string, { json, end }: Common & { end?: boolean }): Promise<void> {
  const output = createOutput(json);
  if (scheduleOf(id))
    throw new CommandError(
      `${id} is a Schedule or one of its runs; there is no row to reconcile. To run it now: Trigger in the Temporal UI, under Schedules.`,
    );
  await withSession((session) =>
    withTemporal(session, async (temporal) => {
      const { row, verdict } = await compare(session, temporal, id);
      const how = end && row.workflow !== 'not' ? 'end' : verdict.repair;
      await repair({ session, temporal }, row, how);
      const again = (): Promise<Comparison> => compare(session, temporal, id);
      const after = how === 'none' ? await again() : await settled(again);
      tell(output, { ...after, done: DONE[how] });
    }),
  );
}

const LOOKS = 60;
const LOOK_EVERY_MS = 500;

/** Waking and ending take a moment to show. */
async function settled(look: () => Promise<Comparison>): Promise<Comparison> {
  for (let looks = 1; ; looks++) {
    const found = await look();
    if (found.verdict.agree || looks === LOOKS) return found;
    await sleep(LOOK_EVERY_MS);
  }
}

const DONE = {
  none: 'Nothing was done.',
  start: 'Its workflow was started.',
  end: 'The row was ended, and its workflow told.',
  wake: 'Its workflow was woken.',
};

interface Comparison {
  readonly row: Row;
  readonly seen: Seen;
  readonly verdict: Verdict;
  readonly done?: string;
}

async function compare(session: Session, temporal: Temporal, id: string): Promise<Comparison> {
  const row = await findRow(session, id);
  const seen = await lookAt(temporal, row.start.workflowId);
  return { row, seen, verdict: judge(row, seen) };
}

function tell(output: Output, { row, seen, verdict, done }: Comparison): void {
  const { id, organizationId: workspace, status, says } = row;
  const { kind } = row.kind;
  const { workflowId } = row.start;
  const document = { kind, id, workspace, status, row: says, workflow_id: workflowId };
  output.result(
    {
      ...document,
      workflow: { ...seen },
      agree: verdict.agree,
      says: verdict.says,
      todo: verdict.todo,
      ...(done ? { done } : {}),
    },
    table([
      [kind, `${id} in workspace ${workspace}`],
      ['row', says],
      ['workflow', `${workflowId}: ${inWords(seen)}`],
      [verdict.agree ? 'agree' : 'DIFFER', verdict.says],
      ...(done ? [['done', done]] : []),
      ['to do', verdict.todo],
    ]),
  );
}

function inWords({ state, since, closedAt, stage, nextAt }: Seen): string {
  if (state === 'missing') return 'none of this id';
  if (state !== 'running') return `${state.replace('_', ' ')} at ${closedAt}`;
  const next = nextAt ? `, next at ${nextAt}` : '';
  return `running since ${since}${stage ? `, ${stage}` : ''}${next}`;
}

const explainSchedule =
  (output: Output, id: string) =>
  async (temporal: Temporal): Promise<void> => {
    const found = await lookAtSchedule(temporal, id);
    output.result(found, [found.says, found.todo]);
  };

async function withTemporal<T>(
  { config, run }: Pick<Surroundings, 'config' | 'run'>,
  work: (temporal: Temporal) => Promise<T>,
): Promise<T> {
  const temporal = connectTemporal(temporalOf({ config, run }));
  try {
    const problem = await temporal.problem(PERSON_WAITS_MS);
    if (problem) throw new CommandError(`${problem} ${remedy(config, 'TEMPORAL_ADDRESS')}`);
    return await work(temporal);
  } finally {
    await temporal.close();
  }
}
