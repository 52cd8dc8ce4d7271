import { randomBytes, randomInt } from 'node:crypto';
import { failRun } from '../../../automations/failing.ts';
import { createAutomation, readNewAutomation } from '../../../automations/service.ts';
import { activateAutomation, deactivateAutomation } from '../../../automations/transitions.ts';
import { createContact } from '../../../contacts/service.ts';
import type { Context } from '../../../context.ts';
import { openConversation } from '../../../conversations/sending/opening.ts';
import { queueMessage } from '../../../conversations/sending/outgoing.ts';
import { closeConversation, reopenConversation } from '../../../conversations/service.ts';
import { first } from '../../../db/sql.ts';
import { transact } from '../../../db/transact.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import type { WebhookEventType } from '../../../outbox/events.ts';
import { createPipeline } from '../../../pipelines/managing.ts';
import { getDeal, getPipeline, listPipelines } from '../../../pipelines/reading.ts';
import { createDeal, moveDeal } from '../../../pipelines/service.ts';
import { CommandError } from '../../output.ts';
import { contactOf, PERSON, sandboxNumber } from './scene.ts';

interface Surroundings {
  /** The running service's simulator, or null. */
  readonly simulatorUrl: string | null;
}

/** What was done, and the text that identifies the event's body among others of its type. */
interface Happened {
  readonly said: string;
  readonly ref: string;
}

type Happening = (ctx: Context, around: Surroundings) => Promise<Happened>;

const word = (): string => randomBytes(3).toString('hex');

/** A person writes to the sandbox number, through the simulator and the service's webhook address. */
const messageReceived: Happening = async (ctx, { simulatorUrl }) => {
  if (!simulatorUrl)
    throw new CommandError(
      'message.received comes in through the simulator of a service that runs here. Start it first: npm start.',
    );
  const number = await sandboxNumber(ctx);
  const text = `Hello from wms trigger (${word()})`;
  const body = {
    phone_number_id: number.phoneNumberId,
    from: PERSON.phone,
    name: PERSON.name,
    text,
  };
  const response = await fetch(`${simulatorUrl}/simulator/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw new CommandError(`The simulator at ${simulatorUrl} does not answer (${String(error)}).`);
  });
  if (!response.ok) throw new CommandError(`The simulator refused: ${await response.text()}`);
  return { said: `${PERSON.name} wrote to ${number.id}: ${text}`, ref: text };
};

const messageSent: Happening = async (ctx) => {
  const { id: numberId } = await sandboxNumber(ctx);
  const contactId = await contactOf(ctx);
  const text = `Hello from wms trigger (${word()})`;
  const id = await transact(ctx, async (tx) => {
    const conversationId = await openConversation(tx, { numberId, contactId });
    return queueMessage(tx, { conversationId, source: 'api', text });
  });
  return { said: `${numberId} sends ${id} to ${PERSON.name}: ${text}`, ref: id };
};

const conversationClosed: Happening = async (ctx) => {
  const { id: numberId } = await sandboxNumber(ctx);
  const contactId = await contactOf(ctx);
  const id = await transact(ctx, async (tx) => {
    const conversationId = await openConversation(tx, { numberId, contactId });
    await reopenConversation(tx, conversationId).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'invalid_state')) throw error;
    });
    await closeConversation(tx, conversationId);
    return conversationId;
  });
  return { said: `${id}, the conversation with ${PERSON.name}, is closed`, ref: id };
};

const contactCreated: Happening = async (ctx) => {
  const phone = `+55119${randomInt(82_000_000, 99_000_000)}`;
  const { id } = await createContact(ctx, { name: `Trigger ${word()}`, phone });
  return { said: `contact ${id} is created`, ref: id };
};

const STAGES = [
  { name: 'New', kind: 'open' },
  { name: 'Talking', kind: 'open' },
  { name: 'Won', kind: 'won' },
  { name: 'Lost', kind: 'lost' },
] as const;

/** A deal enters the first stage, or an existing one moves to the next. */
const stageChanged: Happening = async (ctx) => {
  const contactId = await contactOf(ctx);
  const { data } = await transact(ctx, (tx) => listPipelines(tx, { limit: 1, after: null }));
  const known = data[0];
  const { id: pipelineId, stages } = known
    ? await transact(ctx, (tx) => getPipeline(tx, known.id))
    : await createPipeline(ctx, {
        name: 'wms trigger',
        stages: STAGES.map((stage) => ({ ...stage })),
      });
  const entry = stages[0];
  if (!entry) throw new CommandError(`The pipeline ${pipelineId} has no stages.`);
  try {
    const made = await createDeal(ctx, { stage_id: entry.id, contact_id: contactId });
    return { said: `deal ${made.id} enters ${entry.name}`, ref: made.id };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'duplicate')) throw error;
    const { deal_id: id } = error.details as { deal_id: string };
    const { stage_id: from } = await transact(ctx, (tx) => getDeal(tx, id));
    const place = stages.findIndex((stage) => stage.id === from);
    const to = stages[(place + 1) % stages.length] ?? entry;
    if (to.id === from)
      throw new CommandError(`The pipeline ${pipelineId} has one stage: add another one to it.`);
    await moveDeal(ctx, id, { stage_id: to.id });
    return { said: `deal ${id} moves to ${to.name}`, ref: id };
  }
};

const EXAMPLE = 'wms trigger';

/** An automation that nothing starts, with one published version; created once, then deactivated. */
async function exampleAutomation(ctx: Context): Promise<string> {
  const known = await transact(ctx, (tx) =>
    first<{ id: string }>(
      tx.sql,
      'select id from automations where organization_id = $1 and name = $2 and version > 0 order by id limit 1',
      [ctx.organizationId, EXAMPLE],
    ),
  );
  if (known) return known.id;
  const draft = readNewAutomation({
    name: EXAMPLE,
    trigger: { type: 'manual' },
    steps: [{ id: 'end', type: 'end' }],
  });
  return transact(ctx, async (tx) => {
    const { id } = await createAutomation(tx, draft, { trustedOrigins: [] });
    await activateAutomation(tx, id);
    await deactivateAutomation(tx, id, 'finish');
    return id;
  });
}

const START = `
  insert into automation_runs (organization_id, id, automation_id, version, contact_id, trigger, status, current_step_id, started_at)
  select organization_id, $2, id, version, $4, $5, 'running', 'end', $6 from automations where organization_id = $1 and id = $3`;

const automationFailed: Happening = async (ctx) => {
  const contactId = await contactOf(ctx);
  const automationId = await exampleAutomation(ctx);
  const id = newId('run');
  await transact(ctx, async (tx) => {
    const trigger = JSON.stringify({ type: 'manual', ref: null });
    await tx.sql.rows(START, [ctx.organizationId, id, automationId, contactId, trigger, tx.now]);
    const error = { code: 'timeout', message: 'wms trigger let this run fail.' } as const;
    await failRun(tx, { runId: id, stepId: 'end', stepType: 'end', error });
  });
  return { said: `run ${id} of the automation ${EXAMPLE} failed`, ref: id };
};

/** For each event, what really causes it in a customer's workspace. */
export const HAPPENINGS: Readonly<Record<WebhookEventType, Happening>> = {
  'message.received': messageReceived,
  'message.sent': messageSent,
  'conversation.closed': conversationClosed,
  'contact.created': contactCreated,
  'stage.changed': stageChanged,
  'automation.failed': automationFailed,
};
