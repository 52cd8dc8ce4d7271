import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import {
  destinationOf,
  inspectDelivery,
  searchDeliveries,
  workspaceOf,
} from '../../webhooks/deliveries/inspecting.ts';
import { resendOne } from '../../webhooks/deliveries/resending.ts';
import { CommandError, counted, createOutput, table, wholeNumber } from '../output.ts';
import { type Session, withSession } from '../session.ts';
import { workspaceHaving } from '../workspace-having.ts';
import { aboutSomeWorkspace, type SomeWorkspaceOptions } from './in-workspace.ts';

interface Search extends SomeWorkspaceOptions {
  readonly endpoint?: string;
  readonly event?: string;
  readonly status?: string;
  readonly limit: string;
}

/** The workspace is known from the delivery's id; one that is named must be the same. */
type OfOne = SomeWorkspaceOptions;

/** `wms deliveries`: lists, shows and resends what was sent to endpoints and listeners. */
export function deliveryCommands(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('what was sent to webhook endpoints and listeners');
  aboutSomeWorkspace(deliveries, 'list', 'list deliveries, newest first')
    .option(
      '--endpoint <id>',
      'of this endpoint or listener only, whk_…; the workspace need not be named',
    )
    .option(
      '--event <id>',
      'of this event only, evt_…, the webhook-id of a request; no workspace need be named',
    )
    .option('--status <status>', 'pending, retrying, succeeded, failed, blocked or held')
    .option('--limit <n>', 'how many, 1 to 1000', '50')
    .action(list);
  const aboutOne = (usage: string, description: string): Command =>
    deliveries
      .command(usage)
      .description(description)
      .option('--workspace <id>', 'the workspace; that of the delivery without it')
      .option('--json', 'print one JSON document');
  aboutOne(
    'show <delivery>',
    'show its exact body, each attempt, and when the next ones are due',
  ).action(show);
  aboutOne('resend <delivery>', 'send it again at once: same id and body').action(resend);
}

const list = ({ workspace, json, ...filters }: Search): Promise<void> =>
  withSession(async (session) => {
    const ctx = await session.contextFor(workspace ?? (await workspaceNamedBy(session, filters)));
    const { endpoint, event, status, limit } = filters;
    const search = { endpointId: endpoint, eventId: event, status, limit: wholeNumber(limit) };
    const { found, hasMore } = await transact(ctx, (tx) => searchDeliveries(tx, search));
    createOutput(json).result(
      found,
      found.length === 0 ? ['No deliveries.'] : table(found.map(cellsOf)),
    );
    if (hasMore) console.error(`These are the newest ${limit}; there are more: see --limit.`);
  });

type Found = Awaited<ReturnType<typeof searchDeliveries>>['found'][number];

const cellsOf = ({ status, code, attempts, ...found }: Found): string[] => [
  found.id,
  status,
  code === null ? '-' : String(code),
  counted(attempts, 'attempt', 'attempts'),
  found.type,
  found.event_id,
  found.created_at,
  `${found.name}${mark(found)}`,
];

const mark = ({ deleted }: { readonly deleted: boolean }): string => (deleted ? ' (deleted)' : '');

type Inspected = Awaited<ReturnType<typeof inspectDelivery>>;

/** What ended the delivery, if the attempts do not show it: for example the end of its endpoint, or an operator. */
const ending = ({ finished_at, error, attempt_log }: Inspected): string =>
  finished_at === null || error === null || attempt_log.at(-1)?.error === error ? '' : `, ${error}`;

const show = (id: string, options: OfOne): Promise<void> =>
  withSession(async (session) => {
    const ctx = await contextOf(session, id, options);
    const found = await transact(ctx, (tx) => inspectDelivery(tx, id));
    createOutput(options.json).result(found, [
      `${found.id} of ${found.event_id} (${found.type}): ${found.status}${ending(found)}`,
      `to ${found.name}, ${found.url}${mark(found)}`,
      ...table(
        found.attempt_log.map(({ number, started_at, code, error, duration_ms, response }) => [
          `attempt ${number}`,
          started_at,
          String(code ?? error),
          `${duration_ms} ms`,
          JSON.stringify(response ?? ''),
        ]),
      ),
      ...found.schedule.map((at) => `to come   ${at}`),
      found.body,
    ]);
  });

const resend = (id: string, options: OfOne): Promise<void> =>
  withSession(async (session) => {
    const ctx = await contextOf(session, id, options);
    const { endpointId, name, deleted, kind } = await transact(ctx, (tx) => destinationOf(tx, id));
    if (deleted)
      throw new CommandError(`${name}, where ${id} went, is deleted: nothing goes there any more.`);
    const outcome = await resendOne(ctx, { endpointId, deliveryId: id }, true);
    createOutput(options.json).result(outcome.delivery, [comesOf(outcome, kind, name)]);
  });

type Outcome = Awaited<ReturnType<typeof resendOne>>;

function comesOf(
  { delivery: { id, status }, resent }: Outcome,
  kind: string,
  name: string,
): string {
  if (status === 'held')
    return kind === 'listener'
      ? `${id} waits for ${name}: one that runs takes it in a moment, else the next one`
      : `${id} is held for ${name}: it goes out as soon as that is resumed`;
  if (resent) return `${id} is ${status}: it goes to ${name} at once`;
  if (status === 'pending')
    return `${id} is pending: nothing was added, for it goes to ${name} in its turn anyway`;
  return `${id} is ${status}: nothing was added, for it is being sent or was sent again a moment ago`;
}

/** That of the endpoint or the event; undefined where neither is named. */
async function workspaceNamedBy(
  session: Session,
  { endpoint, event }: Pick<Search, 'endpoint' | 'event'>,
): Promise<string | undefined> {
  if (endpoint !== undefined)
    return knownWorkspace(session, 'webhook_endpoints', 'endpoint or listener', endpoint);
  return event === undefined ? undefined : knownWorkspace(session, 'events', 'event', event);
}

async function knownWorkspace(
  session: Session,
  table: string,
  noun: string,
  id: string,
): Promise<string> {
  const found = await workspaceHaving(session, table, id);
  if (!found) throw new CommandError(`There is no ${noun} ${id}.`);
  return found;
}

/** A delivery's id is enough to find its workspace. */
async function contextOf(session: Session, id: string, { workspace }: OfOne): Promise<Context> {
  if (workspace !== undefined) return session.contextFor(workspace);
  const found = await workspaceOf(session.database, id);
  if (!found) throw new CommandError(`There is no delivery ${id}.`);
  return session.contextFor(found);
}
