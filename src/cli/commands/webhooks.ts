import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { asSystem, inWorkspace } from '../../db/database.ts';
import { AppError, messageOf } from '../../errors.ts';
import { resendFailing } from '../../webhooks/deliveries/resending.ts';
import { type OperatedEndpoint, operatedEndpoints } from '../../webhooks/operated.ts';
import { pauseEndpoint, resumeEndpoint } from '../../webhooks/pausing.ts';
import { failingEndpoints } from '../../webhooks/service.ts';
import { CommandError, counted, createOutput, table } from '../output.ts';
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
    .description(
      "customers' webhook endpoints: see them, let them get nothing for a while, send again what failed",
    );
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
  add('resend', 'send everything again that failed within 30 days, or is being retried').action(
    resend,
  );
}

const list = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await withTroubles(session, await find(session, which));
    const paused = found.filter(({ status }) => status === 'paused');
    const ours = paused.filter((each) => each.paused_by_operator);
    const spared = found.filter(({ trouble }) => trouble === 'held' || trouble === 'silent');
    const failing = found.filter(({ trouble }) => trouble !== null).length - spared.length;
    createOutput(which.json).result(found, [
      ...table(found.map((one) => [one.workspace, one.id, standing(one), one.name, one.url])),
      `${count(found)}, ${paused.length} paused (${ours.length} by an operator), ${failing} failing${spared.length > 0 ? `, ${spared.length} receiving nothing or not all` : ''}`,
    ]);
  });

const pause = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await find(session, which);
    const active = found.filter(({ status }) => status === 'active');
    const { done, failed } = await each(session, active, pauseEndpoint);
    await session.tellOfStops();
    const already = found.length - active.length;
    createOutput(which.json).result({ paused: done.map(shown), already, failed }, [
      ...done.map((one) => `${named(one)} is paused`),
      ...failed.map((one) => `${named(one)} was not paused: ${one.message}`),
      `${count(done)} paused, ${counted(already, 'was', 'were')} so already. What is for them is kept until: wms webhook resume`,
    ]);
  });

const resume = (which: Which): Promise<void> =>
  withSession(async (session) => {
    const found = await find(session, which);
    // The one that is named may also be active, with a backlog that an operator holds.
    const held = which.endpoint ? found : found.filter((one) => one.paused_by_operator);
    const { done, failed } = await each(session, held, resumeEndpoint);
    const left = found.filter((one) => !held.includes(one) && one.status === 'paused').length;
    createOutput(which.json).result({ resumed: done.map(shown), left, failed }, [
      ...done.map((one) => `${named(one)} is active`),
      ...failed.map((one) => `${named(one)} was not resumed: ${one.message}`),
      `${count(done)} resumed. ${left} stay paused, as their owners wished.`,
    ]);
  });

const resend = (which: Which): Promise<void> =>
  withSession(async (session) => {
    if (which.workspace === undefined && which.endpoint === undefined)
      throw new CommandError(
        'Say whose: --workspace org_… or --endpoint whk_… What failed long ago goes out again too.',
      );
    const found = await find(session, which, which.endpoint !== undefined);
    const counts = new Map<string, number>();
    const { done, failed } = await each(session, found, async (ctx, id) => {
      counts.set(id, (await resendFailing(ctx, id, true)).resent);
    });
    const resent = done.map((one) => ({ ...shown(one), resent: counts.get(one.id) ?? 0 }));
    createOutput(which.json).result({ resent, failed }, [
      ...resent.map((one) => `${named(one)}: ${counted(one.resent, 'is', 'are')} sent again`),
      ...failed.map((one) => `${named(one)}: nothing is sent again: ${one.message}`),
      ...(found.length === 0 ? ['There is no endpoint.'] : []),
      ...(done.some(({ status }) => status === 'paused')
        ? ['What is paused gets them once it is resumed.']
        : []),
    ]);
  });

async function find(
  { database, contextFor }: Session,
  which: Which,
  listeners = false,
): Promise<OperatedEndpoint[]> {
  if (which.workspace !== undefined) await contextFor(which.workspace);
  const found = await asSystem(database, (sql) => operatedEndpoints(sql, which, listeners));
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

type Trouble = Awaited<ReturnType<typeof failingEndpoints>>[number]['trouble'];

interface Listed extends OperatedEndpoint {
  /** As the console knows it: why it gets nothing, or not all. */
  readonly trouble: Trouble | null;
}

async function withTroubles(
  { database }: Session,
  found: readonly OperatedEndpoint[],
): Promise<Listed[]> {
  const troubles = new Map<string, Trouble>();
  for (const organizationId of new Set(found.map(({ workspace }) => workspace)))
    for (const { id, trouble } of await inWorkspace(database, organizationId, (sql) =>
      failingEndpoints({ sql, organizationId }),
    ))
      troubles.set(id, trouble);
  return found.map((one) => ({ ...one, trouble: troubles.get(one.id) ?? null }));
}

function standing({ status, paused_by_operator, failures_in_row, trouble }: Listed): string {
  if (paused_by_operator) return 'paused by an operator';
  if (trouble === null) return status;
  return TROUBLES[trouble] ?? `failing, ${failures_in_row} times in a row`;
}

const TROUBLES: Partial<Record<Trouble, string>> = {
  held: 'partly held: wms webhook resume --endpoint',
  silent: 'receives nothing: who made it has left or is suspended',
  blocked: 'blocked: its address leads nowhere, or may not be called',
  unsigned: 'not signed',
};

const named = ({ workspace, id, name }: ReturnType<typeof shown>): string =>
  `${id} of ${workspace} (${name})`;

const shown = ({ workspace, id, name }: OperatedEndpoint) => ({ workspace, id, name });

const count = ({ length }: readonly unknown[]): string => counted(length, 'endpoint', 'endpoints');
