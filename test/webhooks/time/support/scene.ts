import { Webhook } from 'standardwebhooks';
import type { Context } from '../../../../src/context.ts';
import { inWorkspace, sqlOver } from '../../../../src/db/database.ts';
import { startDrains } from '../../../../src/webhooks/lanes/backlog/drains.ts';
import { fanOut } from '../../../../src/webhooks/lanes/first-attempts/intake.ts';
import type { DeliveryStage } from '../../../support/delivery-stage.ts';
import { anEndpoint, sentEvents } from '../../../support/factories/webhooks.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';
import type { Answer, Received } from '../../../support/receiver.ts';

/** Seconds from the start of each attempt to the next (specification, Receiving rules 2). */
export const STEPS = Array.from({ length: 11 }, (_, n) => 30 * 2 ** n);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Milliseconds from the first attempt to so long after the nth that it is surely made, and the next is not. The first
 * is made at once, and what a test does before the second takes its time by the same clock.
 */
export const afterAttempt = (n: number): number =>
  n === 1 ? 1_000 : 1_000 * STEPS.slice(0, n - 1).reduce((sum, step) => sum + step, 0) + 15_000;

interface AttemptRow {
  readonly number: number;
  readonly started_at: Date;
  readonly error: string | null;
}

interface StoredDelivery {
  readonly status: string;
  readonly attempts: number;
  readonly round: number;
  readonly round_attempts: number;
  readonly error: string | null;
  readonly next_attempt_at: Date | null;
  readonly first_attempt_at: Date | null;
  readonly finished_at: Date | null;
  readonly lease_token: string | null;
  readonly in_backlog: boolean;
  readonly owned_by_workflow: boolean;
}

type How = (nth: number) => Answer | Promise<Answer>;

/** One delivery of a new endpoint, which waits for its first attempt; others stand beside it in a backlog. */
export interface DeliveryScene {
  readonly stage: DeliveryStage;
  readonly endpointId: string;
  readonly url: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly secret: string;
  context(): Promise<Context>;
  /** Puts something into the endpoint's or the delivery's row that no caller could. */
  change(
    table: 'webhook_endpoints' | 'webhook_deliveries',
    set: string,
    ...values: readonly unknown[]
  ): Promise<void>;
  /** What the customer's server got of the delivery. */
  requests(): Received[];
  attempts(): Promise<AttemptRow[]>;
  row(): Promise<StoredDelivery>;
  /** How the nth request of each delivery of the endpoint is answered from now on; answers how it was until now. */
  answer(how: How): How;
}

export interface DeliveryWishes {
  /** The endpoint counts as down, and more waits in its backlog. */
  readonly failing?: boolean;
}

const OTHERS = 1;

export async function aDeliveryScene(
  stage: DeliveryStage,
  wishes: DeliveryWishes = {},
): Promise<DeliveryScene> {
  const { database, receiver } = stage;
  const { ctx, workspaceId } = await aWorkspace(database, { now: await stage.now() });
  const url = `${receiver.origin}/${workspaceId}`;
  const { id: endpointId, secret } = await anEndpoint(ctx, url);
  if (wishes.failing)
    await stage.rows('update webhook_endpoints set failures_in_row = 20 where id = $1', [
      endpointId,
    ]);
  const events = await sentEvents(database, workspaceId, wishes.failing ? 1 + OTHERS : 1);
  await intoTheDatabase(stage, endpointId);
  const eventId = events[0] ?? '';
  const [made] = await stage.rows<{ id: string }>(
    'select id from webhook_deliveries where event_id = $1',
    [eventId],
  );
  const deliveryId = made?.id ?? '';
  const requests = (event = eventId): Received[] =>
    receiver.received.filter(({ headers }) => headers['webhook-id'] === event);
  let answering: How = () => ({ status: 500 });
  stage.answers.set(workspaceId, ({ headers }) =>
    answering(requests(headers['webhook-id']).length),
  );
  return {
    stage,
    endpointId,
    url,
    deliveryId,
    eventId,
    secret,
    context: () => stage.at(ctx),
    change: async (table, set, ...values) => {
      const id = table === 'webhook_endpoints' ? endpointId : deliveryId;
      await inWorkspace(database, workspaceId, (sql) =>
        sql.rows(`update ${table} set ${set} where id = $1`, [id, ...values]),
      );
    },
    requests,
    answer: (how) => {
      const before = answering;
      answering = how;
      return before;
    },
    attempts: () =>
      stage.rows<AttemptRow>(
        'select number, started_at, error from webhook_attempts where delivery_id = $1 order by number',
        [deliveryId],
      ),
    row: async () => {
      const text = 'select * from webhook_deliveries where id = $1';
      const [row] = await stage.rows<StoredDelivery>(text, [deliveryId]);
      if (!row) throw new Error('no delivery');
      return row;
    },
  };
}

/** The facts become deliveries, and nobody has them in hand. */
async function intoTheDatabase({ database }: DeliveryStage, endpointId: string): Promise<void> {
  const sql = sqlOver(database.system);
  const { parked } = await fanOut(sql, { token: 'nobody', full: [endpointId] }, 100);
  await startDrains(
    sql,
    parked.map((id) => ({ endpointId: id, due: null })),
  );
}

/** An address that no attempt may reach. */
export const PRIVATE = 'https://127.0.0.1/';

/** As if its name led elsewhere. */
export const moveTo = (scene: DeliveryScene, url: string): Promise<void> =>
  scene.change('webhook_endpoints', 'url = $2, revision = revision + 1', url);

/** Whether a request is signed by exactly these secrets, in this order. */
export function signedBy({ headers, body }: Received, secrets: readonly string[]): boolean {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const signatures = secrets.map((secret) =>
    new Webhook(secret).sign(headers['webhook-id'] ?? '', sentAt, body),
  );
  return headers['webhook-signature'] === signatures.join(' ');
}
