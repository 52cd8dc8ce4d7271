import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { advanceRun } from '../../../src/automations/running/advance.ts';
import { startRun as beginRun } from '../../../src/automations/running/starting.ts';
import { scheduleCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import {
  type Start,
  startCampaign,
  startDelivery,
  startDrain,
  startImport,
  startReminder,
  startRun,
} from '../../../src/relay/reactions.ts';
import { createTemporalCalls, type TemporalCalls } from '../../../src/relay/temporal-calls.ts';
import { createReminder, newReminderOf } from '../../../src/reminders/service.ts';
import { connectTemporal } from '../../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.ts';
import { deliveryId as deliveryIdOf } from '../../../src/webhooks/lanes/rows.ts';
import { devServer, PATIENT } from '../../support/env.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { openShell, type Shell } from '../../support/shell.ts';
import { contextsOf, runWorker } from './operator-worker.ts';

/** One thing that goes on by itself, its workflow not started yet. */
export interface Thing {
  readonly id: string;
  readonly start: Start;
  /** Its status as the row has it. */
  status(): Promise<string>;
}

export interface Operated {
  readonly shell: Shell;
  readonly client: Client;
  readonly calls: TemporalCalls;
  /** As the relay does it. */
  begin(thing: Thing): Promise<void>;
  /** What the Cancel and Terminate buttons of the Temporal UI call. */
  cancel(workflowId: string): Promise<void>;
  terminate(workflowId: string): Promise<void>;
  /** The actions that the workspace's log has of it in somebody's name. */
  logged(thing: Thing, by: string): Promise<string[]>;
  readonly make: Readonly<
    Record<Exclude<Made, 'run'>, () => Promise<Thing>> &
      Record<'run', (wait?: string) => Promise<Thing>>
  >;
  close(): Promise<void>;
}

export type Made = 'campaign' | 'delivery' | 'endpoint' | 'import' | 'run' | 'reminder';

const NAMESPACE = 'default';

/**
 * A workspace, an operator's shell and a worker that does everything, but no relay that heals behind them.
 *
 * @param hooks where webhooks go.
 */
export async function openOperated(hooks = 'https://example.com/hooks'): Promise<Operated> {
  const { address } = devServer();
  const taskQueue = `ops-${randomUUID()}`;
  const shell = await openShell({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TASK_QUEUE: taskQueue,
    TEMPORAL_UI_URL: 'https://temporal.example.com/',
  });
  const temporal = connectTemporal({ address, namespace: NAMESPACE });
  await registerSearchAttributes(temporal.connection, NAMESPACE);
  const worker = await runWorker({ shell, address, taskQueue, hooks });
  const baseUrl = 'https://messaging.example.com';
  const calls = createTemporalCalls(temporal.client, taskQueue, { baseUrl, ...PATIENT });
  const { workflowService } = temporal.client;
  const named = (workflowId: string) => ({
    namespace: NAMESPACE,
    workflowExecution: { workflowId },
    identity: 'the Temporal UI',
  });
  return {
    shell,
    client: temporal.client,
    calls,
    begin: ({ start }) => calls.perform({ kind: 'start', ...start }),
    cancel: async (id) => {
      await workflowService.requestCancelWorkflowExecution(named(id));
    },
    terminate: async (id) => {
      await workflowService.terminateWorkflowExecution(named(id));
    },
    logged: async ({ id }, by) => {
      const entries = await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
        sql.rows<{ action: string }>(
          "select action from audit_entries where target ->> 'id' = $1 and actor ->> 'name' = $2",
          [id, by],
        ),
      );
      return entries.map(({ action }) => action);
    },
    make: makers(shell, hooks),
    close: async () => {
      await worker.stop();
      await temporal.close();
      await shell.close();
    },
  };
}

const makers = (shell: Shell, hooks: string): Operated['make'] => {
  const { ctx, database } = shell;
  const { organizationId } = ctx;
  const rows = <R>(text: string, params: readonly unknown[]): Promise<R[]> =>
    inWorkspace(database, organizationId, (sql) => sql.rows<R>(text, params));
  const statusIn = (table: string, id: string) => async (): Promise<string> => {
    const [row] = await rows<{ status: string }>(`select status from ${table} where id = $1`, [id]);
    return row?.status ?? 'gone';
  };
  const campaign = async (): Promise<Thing> => {
    const [number, contact] = await Promise.all([aNumber(ctx), aContact(ctx)]);
    const draft = { number_id: number.id, contact_ids: [contact.id] };
    const { id } = await aCampaign(ctx, draft);
    const when = new Date(Date.now() + 3_600_000).toISOString();
    await scheduleCampaign(ctx, id, { when });
    return { id, start: startCampaign(organizationId, id), status: statusIn('campaigns', id) };
  };
  /** A retry that is due in an hour, with its own workflow or in its endpoint's backlog. */
  const retry = async (owned: boolean) => {
    const { id: endpointId } = await anEndpoint(ctx, hooks);
    const [eventId = ''] = await sentEvents(database, organizationId);
    const system = sqlOver(database.system);
    await system.rows(
      `insert into events (day, organization_id, id, type, body, created_at)
       select (now() at time zone 'UTC')::date, organization_id, id, type, payload, now() from facts where id = $1`,
      [eventId],
    );
    const [{ id: deliveryId } = { id: '' }] = await system.rows<{ id: string }>(
      `insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, attempts, round_attempts,
         first_attempt_at, next_attempt_at, lease_until, owned_by_workflow, in_backlog, created_at)
       values ((now() at time zone 'UTC')::date, $1, ${deliveryIdOf('$3', '$2')}, $2, $3, 'message.sent', 'retrying', 1, 1,
         now(), now() + interval '1 hour', now() + interval '1 hour', $4, not $4, now()) returning id`,
      [organizationId, endpointId, eventId, owned],
    );
    return { deliveryId, endpointId, eventId, status: statusIn('webhook_deliveries', deliveryId) };
  };
  return {
    campaign,
    delivery: async () => {
      const { status, ...ids } = await retry(true);
      return { id: ids.deliveryId, start: startDelivery(organizationId, ids), status };
    },
    endpoint: async () => {
      const { endpointId: id, status } = await retry(false);
      await rows('update webhook_endpoints set drain_at = now() where id = $1', [id]);
      return { id, start: startDrain(organizationId, id), status };
    },
    import: async () => {
      const id = newId('imp');
      await rows(
        `insert into contact_imports (organization_id, id, file_name, created_by, created_at, total)
         values ($1, $2, 'clientes.csv', '{}', now(), 5000)`,
        [organizationId, id],
      );
      await rows(
        `insert into contact_import_rows (organization_id, import_id, line, fields)
         select $1, $2, n, jsonb_build_object('name', 'Pessoa ' || n, 'phone', '+5511' || (970000000 + n))
         from generate_series(1, 5000) n`,
        [organizationId, id],
      );
      return {
        id,
        start: startImport(organizationId, id),
        status: statusIn('contact_imports', id),
      };
    },
    reminder: async () => {
      const [number, contact] = await Promise.all([aNumber(ctx), aContact(ctx)]);
      const body = {
        title: 'Aviso',
        text: 'Até amanhã.',
        target: 'contact',
        contact_id: contact.id,
      };
      const when = { repeat: 'daily', time: '09:00', number_id: number.id };
      const { id } = await createReminder(ctx, newReminderOf({ ...body, ...when }));
      return { id, start: startReminder(organizationId, id), status: statusIn('reminders', id) };
    },
    run: async (duration = 'P3D') => {
      const steps = [
        { id: 'wait', type: 'wait', duration, next: 'end' },
        { id: 'end', type: 'end' },
      ];
      const automation = await anActiveAutomation(ctx, { name: newId('atm'), steps } as never);
      const contact = await aContact(ctx);
      const trigger = { type: 'manual', ref: null };
      const begun = await transact(ctx, (tx) =>
        beginRun(tx, {
          automationId: automation.id,
          contactId: contact.id,
          conversationId: null,
          trigger,
          messageId: null,
          chain: [],
          causeRunId: null,
        }),
      );
      if (!('runId' in begun)) throw new TypeError(begun.dropped);
      const { runId: id } = begun;
      await advanceRun(runDeps(shell), { organizationId, runId: id }, 'lane');
      // As its wait has it started: Temporal keeps it asleep.
      const dueAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
      const start = startRun(organizationId, id, dueAt);
      return { id, start, status: statusIn('automation_runs', id) };
    },
  };
};

const runDeps = (shell: Shell): Parameters<typeof advanceRun>[0] =>
  ({
    contextFor: contextsOf(shell),
    clock: { now: () => new Date(), skewMs: 0 },
  }) as Parameters<typeof advanceRun>[0];
