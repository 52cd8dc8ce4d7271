import { type Actor, system } from '../../../../src/access/actor.ts';
import type { RunProgress } from '../../../../src/automations/rules.ts';
import { advanceRun } from '../../../../src/automations/running/advance.ts';
import type { RunDeps } from '../../../../src/automations/running/deps.ts';
import type { EffectDeps } from '../../../../src/automations/running/effect.ts';
import { startRun } from '../../../../src/automations/running/starting.ts';
import type { Context } from '../../../../src/context.ts';
import { windowAfter } from '../../../../src/conversations/rules.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../../../src/db/database.ts';
import { transact } from '../../../../src/db/transact.ts';
import { newId } from '../../../../src/ids.ts';
import { createLog } from '../../../../src/log.ts';
import { createSafeSender } from '../../../../src/net/sender.ts';
import type { NewNumber } from '../../../../src/numbers/service.ts';
import { openOwnDatabase } from '../../../support/database.ts';
import { anActiveAutomation } from '../../../support/factories/automations.ts';
import { aContact } from '../../../support/factories/contacts.ts';
import { aConversation } from '../../../support/factories/conversations.ts';
import { aNumber } from '../../../support/factories/numbers.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';

/** A Saturday, 09:00 in São Paulo. */
export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const END = { id: 'end', type: 'end' };

export interface RunStage {
  readonly database: Database;
  close(): Promise<void>;
}

export async function openRunStage(): Promise<RunStage> {
  const database = await openOwnDatabase({ poolSize: 4 });
  return {
    database,
    close: async () => {
      await database.close();
    },
  };
}

export interface RunScene {
  readonly ctx: Context;
  readonly numberId: string;
  readonly contactId: string;
  readonly conversationId: string;
  /** The clock, which stands until it is set. */
  now: Date;
  rows<R>(text: string, ...params: unknown[]): Promise<R[]>;
  /** The contact writes; keeps the message as the inbound lane does. */
  hears(text: string, type?: string): Promise<string>;
  /** An active automation with these steps and an end. */
  publish(
    steps: readonly object[],
    trustedOrigins?: readonly string[],
    wishes?: { readonly entry?: object },
  ): Promise<string>;
  /** A run of it, not advanced yet. */
  begin(automationId: string, wishes?: StartWishes): Promise<string>;
  /** A run of an automation with these steps and an end, not advanced yet. */
  start(steps: readonly object[], wishes?: StartWishes): Promise<string>;
  /** Takes the run's steps until it waits or ends. */
  advance(runId: string, by?: 'lane' | 'workflow'): Promise<RunProgress>;
  /** The texts that were queued, oldest first. */
  said(): Promise<string[]>;
  run(runId: string): Promise<RunRow>;
  outputs(runId: string, stepId: string): Promise<unknown[]>;
}

interface StartWishes {
  readonly conversationId?: string | null;
  readonly contactId?: string;
  readonly messageId?: string | null;
  /** Servers on loopback that its steps may name. */
  readonly trustedOrigins?: readonly string[];
}

interface RunRow {
  readonly status: string;
  readonly step: string | null;
  readonly code: string | null;
  readonly conversationId: string | null;
  readonly waitUntil: Date | null;
}

interface SceneWishes {
  readonly number?: Partial<NewNumber>;
  readonly contact?: object;
  /** What calls are made with. */
  readonly effects?: Partial<EffectDeps>;
}

/** A contact who has just written to a number. */
export async function aRunScene(
  { database }: RunStage,
  { number = {}, contact = {}, effects = {} }: SceneWishes = {},
): Promise<RunScene> {
  const { ctx } = await aWorkspace(database, { now: NOON });
  const { id: numberId } = await aNumber(ctx, number);
  const { id: contactId } = await aContact(ctx, contact);
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const { organizationId } = ctx;
  const at = (actor: Actor = system('tests')): Context =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: scene.now });
  const deps: RunDeps = {
    sender: createSafeSender({ trustedOrigins: [] }),
    log: createLog({ level: 'silent', format: 'json' }),
    ...effects,
    clock: { now: () => scene.now, skewMs: 0 },
    contextFor: (_, actor) => at(actor),
  };
  const scene: RunScene = {
    ctx,
    numberId,
    contactId,
    conversationId,
    now: NOON,
    rows: (text, ...params) =>
      inWorkspace(database, organizationId, (sql) => sql.rows(text, params)),
    hears: (text, type = 'text') => transact(at(), (tx) => keepMessage(tx, scene, text, type)),
    publish: async (steps, trustedOrigins, wishes = {}) => {
      const trigger = { type: 'manual' };
      const definition = { name: newId('atm'), trigger, steps: [...steps, END], ...wishes };
      return (await anActiveAutomation(ctx, definition, trustedOrigins)).id;
    },
    begin: async (automationId, { conversationId: where = conversationId, ...wishes } = {}) => {
      const started = await transact(at(), (tx) =>
        startRun(tx, {
          automationId,
          contactId: wishes.contactId ?? contactId,
          conversationId: where,
          trigger: { type: 'manual', ref: null },
          messageId: wishes.messageId ?? null,
          chain: [],
          causeRunId: null,
        }),
      );
      if (!('runId' in started)) throw new Error(started.dropped);
      return started.runId;
    },
    start: async (steps, wishes) =>
      scene.begin(await scene.publish(steps, wishes?.trustedOrigins), wishes),
    advance: (runId, by = 'lane') => advanceRun(deps, { organizationId, runId }, by),
    said: async () =>
      (
        await scene.rows<{ text: string }>(
          "select text from messages where direction = 'outbound' order by id",
        )
      ).map(({ text }) => text),
    run: async (runId) => {
      const [row] = await scene.rows<RunRow>(
        `select status, current_step_id as step, error ->> 'code' as code, conversation_id as "conversationId",
           wait_until as "waitUntil" from automation_runs where id = $1`,
        runId,
      );
      if (!row) throw new Error('There is no such run.');
      return row;
    },
    outputs: async (runId, stepId) =>
      (
        await scene.rows<{ output: unknown }>(
          'select output from automation_run_steps where run_id = $1 and step_id = $2 order by seq',
          runId,
          stepId,
        )
      ).map(({ output }) => output),
  };
  return scene;
}

async function keepMessage(
  tx: Context,
  { numberId, contactId, conversationId }: RunScene,
  text: string,
  type: string,
): Promise<string> {
  const id = newId('msg');
  await tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
       source, created_at)
     values ($1, $2, $3, $4, $5, 'inbound', $6, $7, 'received', 'contact', $8)`,
    [tx.organizationId, id, conversationId, numberId, contactId, type, text, tx.now],
  );
  await tx.sql.rows(
    'update conversations set window_expires_at = $3, last_message_at = $4 where organization_id = $1 and id = $2',
    [tx.organizationId, conversationId, windowAfter(tx.now), tx.now],
  );
  return id;
}

/** Moves the scene's clock. */
export const later = (scene: RunScene, ms: number): void => {
  scene.now = new Date(scene.now.getTime() + ms);
};

/** Takes a run of these steps as far as it goes. */
export async function play(
  scene: RunScene,
  steps: readonly object[],
  wishes: StartWishes = {},
): Promise<RunRow & { readonly runId: string }> {
  const runId = await scene.start(steps, wishes);
  await scene.advance(runId);
  return { runId, ...(await scene.run(runId)) };
}
