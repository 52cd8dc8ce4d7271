import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { dryRun } from '../../db/transact.ts';
import { DAY_MS } from '../../durations.ts';
import { notFound, validation } from '../../errors.ts';
import { refuseErrors } from '../issues/refusing.ts';
import { type DraftRow, findAutomation } from '../queries.ts';
import { answerProblems } from './answers.ts';
import { follow } from './following.ts';
import type { SimulationInput, SimulationView } from './schema.ts';
import { tell } from './telling.ts';
import { invent, numberFor } from './world.ts';

/** How many days before or after now the virtual clock may begin. */
const FARTHEST_DAYS = 400;

/**
 * Runs the draft with an invented person in virtual time. The steps are the real ones, in a transaction that is
 * rolled back, so nothing is stored, sent or woken, and nobody waits for it. Other servers are not called; the caller
 * supplies their answers. Throws 422 `invalid_definition` for a draft that could not be activated.
 */
export async function simulateAutomation(
  ctx: Context,
  id: string,
  input: SimulationInput,
): Promise<SimulationView> {
  const startsAt = input.starts_at === undefined ? ctx.now : new Date(input.starts_at);
  refuseFarTimes(startsAt, ctx.now);
  const unheard: Context = { ...ctx, recorded: new Set(), wake: () => {}, simulated: true };
  return dryRun(unheard, async (tx) => {
    const row = await findAutomation(tx, id);
    if (!row) throw notFound('automation');
    await refuseErrors(tx, row.draft, () => UNFIT);
    const problems = answerProblems(input.answers, row.draft.steps);
    if (problems.length > 0) throw validation(problems);
    return play(tx, row, input, startsAt);
  });
}

const UNFIT = 'The draft has errors: correct them first, as for activating it.';

async function play(
  tx: Context,
  row: DraftRow,
  input: SimulationInput,
  startsAt: Date,
): Promise<SimulationView> {
  const numberId = await numberFor(tx, row, input.number_id);
  const acting: Context = { ...tx, actor: system('automations'), now: startsAt };
  const world = await invent(acting, row, input, numberId);
  const followed = await follow(acting, world, input);
  return tell(acting, row.draft, world, followed);
}

function refuseFarTimes(startsAt: Date, now: Date): void {
  if (Math.abs(startsAt.getTime() - now.getTime()) <= FARTHEST_DAYS * DAY_MS) return;
  const message = `Must be within ${FARTHEST_DAYS} days of now.`;
  throw validation([{ path: 'starts_at', rule: 'range', message }]);
}
