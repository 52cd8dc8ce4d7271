import type { RunStatus } from '../../../../src/automations/rules.ts';
import { advanceRun } from '../../../../src/automations/running/advance.ts';
import { startRun } from '../../../../src/automations/running/starting.ts';
import type { Context } from '../../../../src/context.ts';
import { inWorkspace } from '../../../../src/db/database.ts';
import { transact } from '../../../../src/db/transact.ts';
import { newId } from '../../../../src/ids.ts';
import { recordWritten } from '../../../../src/outbox/happenings.ts';
import { anActiveAutomation } from '../../../support/factories/automations.ts';
import { aContact } from '../../../support/factories/contacts.ts';
import { aConversation } from '../../../support/factories/conversations.ts';
import { aNumber } from '../../../support/factories/numbers.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';
import type { EngineStage } from './stage.ts';

const END = { id: 'end', type: 'end' };

interface RunRow {
  readonly status: RunStatus;
  readonly step: string | null;
  readonly waitsFor: string | null;
  readonly waitUntil: Date | null;
  readonly finishedAt: Date | null;
  readonly code: string | null;
}

/** A workspace with a number, and people who talk to it. */
export async function anEngineScene(stage: EngineStage) {
  const { ctx } = await aWorkspace(stage.database, { now: await stage.now() });
  const { organizationId } = ctx;
  const { id: numberId } = await aNumber(ctx);
  const rows = <R>(text: string, ...params: unknown[]): Promise<R[]> =>
    inWorkspace(stage.database, organizationId, (sql) => sql.rows<R>(text, params));

  /** Active, with these steps and an end; `trustedOrigins` are servers on loopback that steps may name. */
  const automation = async (
    steps: readonly object[],
    wishes: object = {},
    trustedOrigins: readonly string[] = [],
  ): Promise<string> => {
    const definition = {
      name: newId('atm'),
      trigger: { type: 'manual' },
      steps: [...steps, END],
      ...wishes,
    };
    const ctx = await stage.at(organizationId);
    return (await anActiveAutomation(ctx, definition, trustedOrigins)).id;
  };

  async function person() {
    const { id: contactId } = await aContact(await stage.at(organizationId));
    const now = await stage.at(organizationId);
    const conversationId = await aConversation(now, { numberId, contactId });
    return {
      contactId,
      conversationId,
      begin: (automationId: string) => begin({ automationId, contactId, conversationId }),
      /** Writes; runs hear of it when the stage settles. */
      writes: async (text: string): Promise<string> =>
        transact(await stage.at(organizationId), (tx) =>
          keepMessage(tx, { numberId, contactId, conversationId, text }),
        ),
      /** What was said to the person, with the times, oldest first. */
      heard: () =>
        rows<{ text: string; at: Date }>(
          `select text, created_at as at from messages
           where conversation_id = $1 and direction = 'outbound' order by id`,
          conversationId,
        ),
    };
  }

  interface Beginning {
    readonly automationId: string;
    readonly contactId: string;
    readonly conversationId: string;
  }

  /** Starts a run and takes its first steps, as the lane does. */
  async function begin(beginning: Beginning): Promise<string> {
    const ctx = await stage.at(organizationId);
    const trigger = { type: 'manual', ref: null };
    const started = await transact(ctx, (tx) =>
      startRun(tx, { ...beginning, trigger, messageId: null, chain: [], causeRunId: null }),
    );
    if (!('runId' in started)) throw new Error(started.dropped);
    await advanceRun(stage.deps, { organizationId, runId: started.runId }, 'lane');
    return started.runId;
  }

  const run = async (id: string): Promise<RunRow> => {
    const [row] = await rows<RunRow>(
      `select status, current_step_id as step, waits_for as "waitsFor", wait_until as "waitUntil",
         finished_at as "finishedAt", error ->> 'code' as code from automation_runs where id = $1`,
      id,
    );
    if (!row) throw new Error('There is no such run.');
    return row;
  };

  return {
    ctx,
    organizationId,
    rows,
    automation,
    person,
    run,
    /** The steps of a run, as `id status`, in their order. */
    steps: async (id: string): Promise<string[]> => {
      const text =
        'select step_id as id, status from automation_run_steps where run_id = $1 order by seq';
      const found = await rows<{ id: string; status: string }>(text, id);
      return found.map((step) => `${step.id} ${step.status}`);
    },
    /** Events of this type that the workspace recorded. */
    told: async (type: string): Promise<number> => {
      const found = await rows('select from facts where is_event and type = $1', type);
      return found.length;
    },
  };
}

export type EngineScene = Awaited<ReturnType<typeof anEngineScene>>;

interface Writing {
  readonly numberId: string;
  readonly contactId: string;
  readonly conversationId: string;
  readonly text: string;
}

async function keepMessage(tx: Context, writing: Writing): Promise<string> {
  const { numberId, contactId, conversationId, text } = writing;
  const messageId = newId('msg');
  await tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
       source, created_at)
     values ($1, $2, $3, $4, $5, 'inbound', 'text', $6, 'received', 'contact', $7)`,
    [tx.organizationId, messageId, conversationId, numberId, contactId, text, tx.now],
  );
  await recordWritten(tx, {
    messageId,
    contactId,
    conversationId,
    opened: false,
    wroteBefore: true,
    campaignId: null,
  });
  return messageId;
}
