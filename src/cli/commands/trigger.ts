import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { idFloor } from '../../ids.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../outbox/events.ts';
import { deliveryId } from '../../webhooks/lanes/rows.ts';
import { CommandError, createOutput } from '../output.ts';
import { type Session, withSession } from '../session.ts';
import { aboutSomeWorkspace, type SomeWorkspaceOptions } from './in-workspace.ts';
import { HAPPENINGS } from './trigger/happenings.ts';
import { refuseRealNumbers } from './trigger/scene.ts';

/** `wms trigger`: causes each event through its real use case (docs/webhooks-laptop.md). */
export function triggerCommand(program: Command): void {
  aboutSomeWorkspace(
    program,
    'trigger <event>',
    `let an event really happen, in the sandbox: ${WEBHOOK_EVENT_TYPES.join(', ')}`,
  ).action((event: string, options: SomeWorkspaceOptions) =>
    withSession((session) => trigger(session, event, options)),
  );
}

async function trigger(
  session: Session,
  event: string,
  options: SomeWorkspaceOptions,
): Promise<void> {
  const type = WEBHOOK_EVENT_TYPES.find((known) => known === event);
  if (!type)
    throw new CommandError(
      `There is no event "${event}". The events are ${WEBHOOK_EVENT_TYPES.join(', ')}.`,
    );
  const ctx = await session.contextFor(options.workspace);
  await refuseRealNumbers(ctx);
  const output = createOutput(options.json);
  const heard = await subscribers(ctx, type);
  // Ids are made by the database's time.
  const begun = session.clock.now().getTime();
  const after = idFloor('evt', new Date(begun - (BY_THE_SERVICE.has(type) ? CLOCKS_APART_MS : 0)));
  const simulatorUrl = session.run?.simulatorUrl ?? null;
  const { said, ref } = await HAPPENINGS[type](ctx, { simulatorUrl });
  output.progress(said);
  const result = { type, did: said };
  if (heard === 0) {
    const there = options.workspace ? ` --workspace ${options.workspace}` : '';
    output.result({ ...result, subscribers: 0, event_id: null }, [
      `No endpoint or listener hears ${type}: wms listen --forward-to http://localhost:4000/hooks${there}`,
    ]);
    return;
  }
  const made = await eventOf(ctx, { type, ref, after });
  if (!made)
    throw new CommandError(
      `It was done (${said}), but no event came of it within ${PATIENCE_MS / 1_000} s. Is the service running (wms doctor)? Does whoever made the endpoint see what happened?`,
    );
  const { id, reached, held } = made;
  output.result({ ...result, subscribers: reached, event_id: id }, [
    `${type} ${id} goes to ${hearers(reached)}${held > 0 ? `, ${held} of them paused: wms webhook list` : ''}`,
  ]);
}

const hearers = (count: number): string =>
  count === 1 ? '1 endpoint or listener' : `${count} endpoints and listeners`;

async function subscribers(ctx: Context, type: WebhookEventType): Promise<number> {
  const row = await transact(ctx, (tx) =>
    first<{ n: number }>(
      tx.sql,
      `select count(*)::int as n from webhook_endpoints
       where organization_id = $1 and deleted_at is null and $2 = any(events)`,
      [ctx.organizationId, type],
    ),
  );
  return row?.n ?? 0;
}

/**
 * Events recorded by the service, which may know the database's time less exactly. The others are recorded by this
 * command, and an event from a moment before, about the same deal or conversation, must not be mistaken for it.
 */
const BY_THE_SERVICE: ReadonlySet<WebhookEventType> = new Set(['message.received', 'message.sent']);
const CLOCKS_APART_MS = 60_000;
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** What was fanned out with the event says who gets it: not everybody sees everything. */
const FIND = `
  select v.id, count(d.id)::int as reached, count(d.id) filter (where e.status = 'paused' and e.kind = 'endpoint')::int as held
  from (select day, id from events
        where organization_id = $1 and type = $2 and id > $3 and position($4 in body) > 0 order by id desc limit 1) v
  join webhook_endpoints e on e.organization_id = $1
  join webhook_deliveries d on d.day = v.day and d.id = ${deliveryId('v.id', 'e.id')}
  group by v.id`;

interface Found {
  readonly id: string;
  readonly reached: number;
  /** Of these, the endpoints that are paused. */
  readonly held: number;
}

interface Wanted {
  readonly type: WebhookEventType;
  readonly ref: string;
  readonly after: string;
}

/** The resulting event, once the relay has made it, or null. */
async function eventOf(ctx: Context, { type, ref, after }: Wanted): Promise<Found | null> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    const params = [ctx.organizationId, type, after, ref];
    const found = await transact(ctx, (tx) => first<Found>(tx.sql, FIND, params));
    if (found) return found;
  }
  return null;
}
