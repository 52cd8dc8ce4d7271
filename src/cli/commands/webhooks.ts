import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { asSystem } from '../../db/database.ts';
import { AppError, messageOf } from '../../errors.ts';
import { type OperatedEndpoint, operatedEndpoints } from '../../webhooks/operated.ts';
import { pauseEndpoint, resumeEndpoint } from '../../webhooks/pausing.ts';
import { FAILING_AFTER } from '../../webhooks/rules.ts';
import { CommandError, createOutput, table } from '../output.ts';
import { type Session, withSession } from '../session.ts';

interface Which {
  readonly workspace?: string;
  readonly endpoint?: string;
  readonly json?: boolean;
}

/** `wms webhook`: for a restored database, and whenever an endpoint may get nothing (docs/operations.md, docs/backup.md). */
export function webhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description("customers' webhook endpoints: see them, and let them get nothing for a while");
  const add = (usage: string, description: string): Command =>
    webhook
      .command(usage)
      .description(description)
      .option('--workspace <id>', 'those of this workspace; without it those of all')
      .option('--endpoint <id>', 'this one only, whk_…')
      .option('--json', 'print one JSON document');
  add('list', 'list the endpoints, by workspace').action(list);
  add('pause', 'make no attempts; what happens is kept until they are resumed').action(pause);
  add(
    'resume',
    'send what was kept; without --endpoint none that its owner had paused is resumed',
  ).action(resume);
}

const list = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await find(session, which);
    const paused = found.filter(({ status }) => status === 'paused');
    const ours = paused.filter((each) => each.paused_by_operator);
    const failing = found.filter(isFailing);
    createOutput(which.json ?? false).result(found, [
      ...table(found.map((one) => [one.workspace, one.id, standing(one), one.name, one.url])),
      `${count(found)}, ${paused.length} paused (${ours.length} by an operator), ${failing.length} failing`,
    ]);
  });

const pause = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await find(session, which);
    const active = found.filter(({ status }) => status === 'active');
    const { done, failed } = await each(session, active, pauseEndpoint);
    await session.tellOfStops();
    const already = found.length - active.length;
    createOutput(which.json ?? false).result({ paused: done.map(shown), already, failed }, [
      ...done.map((one) => `${named(one)} is paused`),
      ...failed.map((one) => `${named(one)} was not paused: ${one.message}`),
      `${count(done)} paused, ${already} were so already. What is for them is kept until: wms webhook resume`,
    ]);
  });

const resume = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await find(session, which);
    // The one that is named may also be active, with a backlog that an operator holds.
    const held = which.endpoint ? found : found.filter((one) => one.paused_by_operator);
    const { done, failed } = await each(session, held, resumeEndpoint);
    const left = found.filter((one) => !held.includes(one) && one.status === 'paused').length;
    createOutput(which.json ?? false).result({ resumed: done.map(shown), left, failed }, [
      ...done.map((one) => `${named(one)} is active`),
      ...failed.map((one) => `${named(one)} was not resumed: ${one.message}`),
      `${count(done)} resumed. ${left} stay paused, as their owners wished.`,
    ]);
  });

async function find({ database, contextFor }: Session, which: Which): Promise<OperatedEndpoint[]> {
  if (which.workspace !== undefined) await contextFor(which.workspace);
  const found = await asSystem(database, (sql) => operatedEndpoints(sql, which));
  if (which.endpoint !== undefined && found.length === 0)
    throw new CommandError(`There is no endpoint ${which.endpoint}.`);
  return found;
}

interface Outcome {
  readonly done: readonly OperatedEndpoint[];
  readonly failed: readonly (ReturnType<typeof shown> & { readonly message: string })[];
}

/** One after the other, also after one that fails: the command then exits with 1. Who is deleted meanwhile is neither. */
async function each(
  { contextFor }: Session,
  endpoints: readonly OperatedEndpoint[],
  change: (ctx: Context, id: string) => Promise<unknown>,
): Promise<Outcome> {
  const [done, failed]: [OperatedEndpoint[], Outcome['failed'][number][]] = [[], []];
  for (const one of endpoints) {
    try {
      await change(await contextFor(one.workspace), one.id);
      done.push(one);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') continue;
      failed.push({ ...shown(one), message: messageOf(error) });
    }
  }
  if (failed.length > 0) process.exitCode = 1;
  return { done, failed };
}

const isFailing = ({ status, failures_in_row }: OperatedEndpoint): boolean =>
  status === 'active' && failures_in_row >= FAILING_AFTER;

function standing(one: OperatedEndpoint): string {
  if (one.paused_by_operator) return 'paused by an operator';
  return isFailing(one) ? `failing, ${one.failures_in_row} times in a row` : one.status;
}

const named = ({ workspace, id, name }: ReturnType<typeof shown>): string =>
  `${id} of ${workspace} (${name})`;

const shown = ({ workspace, id, name }: OperatedEndpoint) => ({ workspace, id, name });

const count = ({ length }: readonly unknown[]): string =>
  length === 1 ? '1 endpoint' : `${length} endpoints`;
