import assert from 'node:assert/strict';
import { newId } from '../../../src/ids.ts';
import { type Child, until } from '../../support/processes/child.ts';
import type { Service } from '../../support/processes/processes.ts';
import type { ChaosStage } from './stage.ts';

/** The environment of a process that ends itself when it passes the point for the `nth` time. */
export const dies = (point: string, nth = 1): Record<string, string> => ({
  FAULT: `${point}:${nth}:kill`,
});

/** `POST …/send`, answered. */
export async function begin(stage: ChaosStage, api: Service, campaign: string): Promise<void> {
  const reply = await stage.call(api, 'POST', `/campaigns/${campaign}/send`);
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.text, /"sending"/);
}

interface Command {
  readonly type: string;
  readonly payload: string;
}

/** Puts a command into the queue three times more, as if no relay had ever finished it. */
export async function again(stage: ChaosStage, { type, payload }: Command): Promise<void> {
  for (let time = 0; time < 3; time++) {
    await stage.rows(
      'insert into facts (organization_id, id, type, is_event, payload) values ($1, $2, $3, false, $4)',
      [stage.organizationId, newId('fct'), type, payload],
    );
  }
}

/** Resolves when the simulator accepted so many messages in all. */
export const acceptedAtLeast = (stage: ChaosStage, count: number): Promise<void> =>
  until(
    `${count} messages are accepted`,
    async () => (await stage.processes.simulator.accepted()).length >= count,
    { everyMs: 20 },
  );

export const arrivedAtLeast = (stage: ChaosStage, count: number): Promise<void> =>
  until(`${count} webhooks arrive`, async () => stage.receiver.receipts.length >= count, {
    everyMs: 20,
  });

/**
 * Webhook requests that arrived and that no process wrote down, by the events they were of: once a
 * process is dead or stands still, those that may be made once more.
 */
export async function unrecorded(stage: ChaosStage): Promise<string[]> {
  await stage.receiver.caughtUp();
  const rows = await stage.rows<{ event_id: string; attempts: number }>(
    'select event_id, attempts from webhook_deliveries',
  );
  const attempts = new Map(rows.map((row) => [row.event_id, row.attempts]));
  const requests = Map.groupBy(stage.receiver.receipts, ({ webhookId }) => webhookId);
  return [...requests]
    .filter(([id, made]) => made.length > (attempts.get(id) ?? 0))
    .map(([id]) => id);
}

export async function statusOf(stage: ChaosStage, campaign: string): Promise<string> {
  const [row] = await stage.rows<{ status: string }>('select status from campaigns where id = $1', [
    campaign,
  ]);
  return row?.status ?? 'gone';
}

/** Recipients whose answer was lost, and whether the simulator has their message. */
export async function unconfirmed(
  stage: ChaosStage,
): Promise<{ accepted: number; missing: number }> {
  const keys = new Set((await stage.processes.simulator.accepted()).map(({ key }) => key));
  const rows = await stage.rows<{ message_id: string }>(
    `select message_id from campaign_recipients where status = 'unconfirmed'`,
  );
  const accepted = rows.filter((row) => keys.has(row.message_id)).length;
  return { accepted, missing: rows.length - accepted };
}

/** Status webhooks have settled every unconfirmed recipient whose message the simulator has. */
export const acceptedSettled = (stage: ChaosStage): Promise<void> =>
  until('the accepted ones are settled', async () => (await unconfirmed(stage)).accepted === 0);

/** Milliseconds from `moment` until the simulator accepted something that was not in flight then. */
export async function gapAfter(stage: ChaosStage, moment: number): Promise<number> {
  const inFlightMs = 100;
  const next = (await stage.processes.simulator.accepted()).find(
    ({ t }) => t > moment + inFlightMs,
  );
  return next ? next.t - moment : Number.POSITIVE_INFINITY;
}

/** Resolves when the process is dead; fails with what it wrote when it lives on. */
export async function death(child: Child): Promise<void> {
  let dead = false;
  void child.exited.then(() => {
    dead = true;
  });
  await until('the process dies', async () => dead, { child });
}
