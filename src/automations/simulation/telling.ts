import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { Definition } from '../definition/language.ts';
import { exitsOf } from '../issues/graph.ts';
import { presentRunDetail } from '../present.ts';
import { findRun, listRunSteps } from '../queries.ts';
import type { RunDetail } from '../schema.ts';
import type { Followed } from './following.ts';
import type { SimulationView } from './schema.ts';
import { IN_THEIR_TALKS, type World } from './world.ts';

type Said = SimulationView['conversation'][number];
type ToldStep = SimulationView['steps'][number];

interface MessageRow extends Omit<Said, 'at'> {
  readonly id: string;
  readonly at: Date;
}

const MESSAGES = `
select m.id, m.created_at as at, m.direction, m.type, m.text, m.template, m.media_id from messages m
where m.organization_id = $1 and ${IN_THEIR_TALKS} order by m.id`;

/** Reads the course of the run from the rows before they are rolled back. */
export async function tell(
  tx: Context,
  definition: Definition,
  { runId, person }: World,
  { stoppedBy, unheardReplies, during }: Followed,
): Promise<SimulationView> {
  const row = await findRun(tx, runId);
  if (!row) throw new AppError('internal', 'The simulation lost its run.');
  const run = presentRunDetail(row, await listRunSteps(tx, runId));
  const messages = await tx.sql.rows<MessageRow>(MESSAGES, [tx.organizationId, person.id]);
  const sentIn = Map.groupBy(messages, ({ id }) => during.get(id) ?? 0);
  return {
    status: run.status,
    started_at: run.started_at,
    finished_at: run.finished_at,
    stopped_by: stoppedBy,
    error: run.error,
    steps: run.steps.map((step, index) => ({
      ...step,
      ...branchOf(definition, step, run.steps[index + 1]),
      messages: (sentIn.get(index + 1) ?? []).map(shown),
    })),
    conversation: messages.map(shown),
    unheard_replies: unheardReplies,
  };
}

const shown = ({ id: _, at, ...message }: MessageRow): Said => ({
  ...message,
  at: at.toISOString(),
});

type Step = RunDetail['steps'][number];

const FAILURES: readonly string[] = ['on_timeout', 'on_error'];

function wayOfFailure({ output }: Step): string | null {
  if (output?.['timed_out'] === true) return 'on_timeout';
  return output?.['ok'] === false ? 'on_error' : null;
}

/** The way out that leads to the following step; if there are two, the one that fits the result. */
function branchOf(
  { steps }: Definition,
  taken: Step,
  next: Step | undefined,
): Pick<ToldStep, 'branch' | 'next_step_id'> {
  const step = steps.find(({ id }) => id === taken.step_id);
  if (!next || !step) return { branch: null, next_step_id: null };
  const names = exitsOf(step)
    .filter(({ to }) => to === next.step_id)
    .map(({ name }) => name);
  const failed = wayOfFailure(taken);
  const fitting = names.find((name) => (failed ? name === failed : !FAILURES.includes(name)));
  return { branch: fitting ?? names[0] ?? null, next_step_id: next.step_id };
}
