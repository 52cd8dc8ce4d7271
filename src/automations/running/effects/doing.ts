import { changeTags } from '../../../contacts/service.ts';
import { variablesIn } from '../../../contacts/variables.ts';
import type { Context } from '../../../context.ts';
import { transferConversation } from '../../../conversations/assignment/transferring.ts';
import { truncate } from '../../../conversations/sending/lengths.ts';
import { closeConversation, getConversation } from '../../../conversations/service.ts';
import { AppError } from '../../../errors.ts';
import { isBlank } from '../../../http/fields.ts';
import { recordTrigger } from '../../../outbox/happenings.ts';
import { openDealOf, requireStage } from '../../../pipelines/checks.ts';
import { getPipeline } from '../../../pipelines/reading.ts';
import { createDeal, moveDeal } from '../../../pipelines/service.ts';
import { fill } from '../conditions/variables.ts';
import { noteDrop } from '../dropped-triggers.ts';
import type { AtStep, Effects, Outcome, StepOf } from '../effect.ts';
import { contactOf, saveField } from '../saving.ts';
import { isActive } from '../starting.ts';
import { isAnsweredByPerson, keepAsGiven, placeAtHand } from '../talking/places.ts';
import { leftToPeople } from '../talking/saying.ts';

/** The longest title of a deal, in code points. */
const TITLE = 120;

/** Steps that change something in the workspace, through the owning services and in the name of the automation. */
export const doing = {
  set_field: { enter: setField },

  add_tag: {
    enter: async (at) => {
      await changeTags(at.tx, contactOf(at), { add: [at.step.tag] });
      return onward(at);
    },
  },

  remove_tag: {
    enter: async (at) => {
      await changeTags(at.tx, contactOf(at), { remove: [at.step.tag] });
      return onward(at);
    },
  },

  create_deal: { enter: beginDeal },
  move_stage: { enter: moveStage },

  assign: {
    enter: async (at) => {
      const { team_id, member_id, next: to } = at.step;
      const id = await placeAtHand(at);
      if (id === null) return { kind: 'next', to, output: { assigned: false } };
      if (await isAnsweredByPerson(at, id)) return leftToPeople;
      const whom = { team_id, ...(member_id === null ? {} : { member_id }) };
      await transferConversation(at.tx, id, whom).catch(
        gone({
          unknown_team: `team ${team_id}`,
          member_not_in_team: `member ${member_id} who can answer`,
        }),
      );
      if (member_id !== null) await keepAsGiven(at, id);
      return { kind: 'next', to, output: { assigned: true } };
    },
  },

  close_conversation: {
    enter: async (at) => {
      const id = await placeAtHand(at);
      if (id !== null && (await isAnsweredByPerson(at, id))) return leftToPeople;
      // If none is open, the step's purpose is fulfilled.
      const closed = id !== null && (await getConversation(at.tx, id)).status === 'open';
      if (closed) await closeConversation(at.tx, id);
      return { kind: 'next', to: at.step.next, output: { closed } };
    },
  },

  /** As an ordinary happening, so that entry conditions, one run per contact and the loop guard apply. */
  start_automation: {
    enter: async (at) => {
      const { tx, run, step } = at;
      const { automation_id: automationId } = step;
      const { conversationId } = run;
      const trigger = { type: 'automation', ref: run.id };
      const contactId = contactOf(at);
      const active = await isActive(tx, automationId);
      if (active) await recordTrigger(tx, { automationId, contactId, conversationId, trigger });
      else if (await exists(tx, automationId)) await noteDrop(tx, automationId, 'inactive');
      else throw missing(`automation ${automationId}`);
      return { kind: 'next', to: step.next, output: { active } };
    },
  },
} satisfies Effects;

const onward = ({ step }: AtStep & { step: { next: string | null } }): Outcome => ({
  kind: 'next',
  to: step.next,
});

async function setField(at: AtStep<StepOf<'set_field'>>): Promise<Outcome> {
  const { field, value, next } = at.step;
  const filled = typeof value === 'string' ? await fill(at, value) : value;
  const refusal = await saveField(at, field, filled);
  if (!refusal) return { kind: 'next', to: next };
  // A text the author wrote is the automation's mistake; a text from the person is the person's.
  const theirs = typeof value === 'string' && variablesIn(value).length > 0;
  return theirs || refusal.kind !== 'fail' ? refusal : { ...refusal, code: 'definition_error' };
}

/** If the contact already has an open deal in the pipeline, the run continues with that one. */
async function beginDeal(at: AtStep<StepOf<'create_deal'>>): Promise<Outcome> {
  const { tx, run, step } = at;
  const contact_id = contactOf(at);
  const stage_id = await stageOf(at);
  const filled = truncate((await fill(at, step.title)).trim(), TITLE);
  const title = isBlank(filled) ? undefined : filled;
  const { conversationId: conversation_id } = run;
  const { value_cents } = step;
  try {
    const wanted = { stage_id, contact_id, conversation_id, title, value_cents };
    const { id } = await createDeal(tx, wanted);
    return { kind: 'next', to: step.next, output: { deal_id: id, created: true } };
  } catch (error) {
    const open = openDealIn(error);
    if (open === null) throw error;
    return { kind: 'next', to: step.next, output: { deal_id: open, created: false } };
  }
}

/** The given stage in the given pipeline, or the pipeline's first. */
async function stageOf({ tx, step }: AtStep<StepOf<'create_deal'>>): Promise<string> {
  const { pipeline_id, stage_id } = step;
  const { stages } = await getPipeline(tx, pipeline_id).catch(
    gone({ not_found: `pipeline ${pipeline_id}` }),
  );
  const stage = stage_id === null ? stages[0] : stages.find(({ id }) => id === stage_id);
  if (stage) return stage.id;
  throw missing(stage_id === null ? `stage in pipeline ${pipeline_id}` : `stage ${stage_id}`);
}

function openDealIn(error: unknown): string | null {
  if (!(error instanceof AppError) || error.code !== 'duplicate') return null;
  const { deal_id } = (error.details ?? {}) as { deal_id?: unknown };
  return typeof deal_id === 'string' ? deal_id : null;
}

/** Without an open deal in the pipeline there is nothing to move, and the run continues. */
async function moveStage(at: AtStep<StepOf<'move_stage'>>): Promise<Outcome> {
  const { tx, step } = at;
  const { stage_id, next } = step;
  const { pipelineId } = await requireStage(tx, stage_id).catch(
    gone({ unknown_stage: `stage ${stage_id}` }),
  );
  const dealId = await openDealOf(tx, contactOf(at), pipelineId, { lock: true });
  if (dealId !== null) await moveDeal(tx, dealId, { stage_id });
  return { kind: 'next', to: next, output: { deal_id: dealId } };
}

/** Nobody deletes it until the transaction ends. */
async function exists({ sql, organizationId }: Context, automationId: string): Promise<boolean> {
  const kept = 'select from automations where organization_id = $1 and id = $2 for key share';
  return (await sql.rows(kept, [organizationId, automationId], 'keep-automation')).length > 0;
}

const missing = (what: string): AppError =>
  new AppError('not_found', `There is no ${what} any more.`);

/** Names the record that a service could not find, because the author reads the run's error. */
const gone =
  (names: Readonly<Record<string, string>>) =>
  (error: unknown): never => {
    const name = error instanceof AppError ? names[error.code] : undefined;
    throw name === undefined ? error : missing(name);
  };
