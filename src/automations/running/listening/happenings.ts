import type { Context } from '../../../context.ts';
import { MESSAGE_LOST } from '../../../conversations/losses.ts';
import { transact } from '../../../db/transact.ts';
import { noteDrop } from '../dropped-triggers.ts';
import type { Run } from '../run.ts';
import { startRun } from '../starting.ts';
import { takeStep } from '../step.ts';
import { loseMessage } from '../talking/losing.ts';
import { refusalOf } from './entry.ts';
import { hear, type OnTheWay } from './hearing.ts';
import {
  factsOf,
  forgetHappening,
  type Happening,
  type Listener,
  listenersOf,
  lockHappening,
  putOffHappening,
} from './listening.ts';
import { type Facts, matches } from './matching.ts';

/** What is left to do after acting on a happening. */
export interface ActedOn {
  /** Runs that have steps to take now. */
  readonly runs: readonly OnTheWay[];
  /** The happening stays: act on it again when these runs have continued. */
  readonly again: boolean;
}

/**
 * How long a message waits for a run of its conversation that is calling another server, before it may start
 * something else. If it starts nothing else, that run still gets it.
 */
const LONGEST_CALL_MS = 120_000;

const GONE: ActedOn = { runs: [], again: false };

/**
 * Acts on something that happened, in the caller's transaction, which removes it from the queue, so that it starts
 * things once. A person's message goes first to the run that waits for it.
 *
 * @param patient while a run of the message's conversation takes steps, returns `again`; otherwise the message is
 * treated as one that no run waits for
 */
export async function actOnHappening(
  tx: Context,
  happeningId: string,
  patient: boolean,
): Promise<ActedOn> {
  const happening = await lockHappening(tx, happeningId);
  if (!happening) return GONE;
  if (happening.trigger.type === MESSAGE_LOST) {
    await loseMessage(tx, happening);
    await forgetHappening(tx, happeningId);
    return GONE;
  }
  // What a run or an automation takes counts as taken up to there: a message must not overtake an earlier one.
  if (happening.behind !== null) {
    await putOffHappening(tx, happeningId, happening.behind);
    return GONE;
  }
  const heard = await hearMessage(tx, happening);
  if (heard.kind === 'later' && patient) return { runs: heard.runs, again: true };
  if (heard.kind === 'busy' && tx.now.getTime() - happening.createdAt.getTime() < LONGEST_CALL_MS) {
    await putOffHappening(tx, happeningId);
    return GONE;
  }
  const begun = heard.kind === 'taken' ? [] : await startRuns(tx, happening);
  const looking = await lookAgain(tx, happening, heard.runs);
  await forgetHappening(tx, happeningId);
  const runs = [...heard.runs, ...begun.map((run) => ({ runId: run.id, begun: run })), ...looking];
  return { runs, again: false };
}

const WATCHING = `
select id from automation_runs
where organization_id = $1 and contact_id = $2 and waits_for = 'condition' and status = 'waiting' and not id = any ($3)
order by id limit 20`;

/**
 * Anything that happens to the person may be what these runs wait for. Conditions that change without an event are
 * found by their own checks.
 */
async function lookAgain(
  tx: Context,
  { contactId }: Happening,
  heard: readonly OnTheWay[],
): Promise<OnTheWay[]> {
  if (contactId === null) return [];
  const params = [tx.organizationId, contactId, heard.map(({ runId }) => runId)];
  const watching = await tx.sql.rows<{ id: string }>(WATCHING, params, 'runs-watching-contact');
  const looked: OnTheWay[] = [];
  for (const { id } of watching) looked.push(await lookAt(tx, id));
  return looked;
}

/** A run that cannot go on keeps neither the happening nor other runs waiting: whoever follows it hears of the error. */
async function lookAt(tx: Context, runId: string): Promise<OnTheWay> {
  const look = transact(tx, (inner) => takeStep(inner, runId, 'lane'));
  return look.then(
    (move) => ({ runId, move }),
    () => ({ runId }),
  );
}

const hearMessage = (tx: Context, { trigger, conversationId }: Happening) =>
  trigger.type === 'message_received' && trigger.ref !== null && conversationId !== null
    ? hear(tx, { conversationId, messageId: trigger.ref })
    : ({ kind: 'nobody', runs: [] } as const);

async function startRuns(tx: Context, happening: Happening): Promise<Run[]> {
  const { contactId } = happening;
  if (contactId === null) return [];
  const listeners = await whoListens(tx, happening);
  if (listeners.length === 0) return [];
  const facts = await factsOf(tx, happening);
  const started: (Pick<Listener, 'named'> & { readonly run: Run })[] = [];
  for (const listener of listeners) {
    if (!listener.named && !matches(listener.definition.trigger, facts)) continue;
    const run = await start(tx, { ...happening, contactId }, listener, facts);
    if (run !== null) started.push({ named: listener.named, run });
  }
  // A submission shows the run of the automation that its form names, if that one began.
  const shown = started.find(({ named }) => named) ?? started[0];
  if (facts.type === 'form_submitted' && shown)
    await tx.sql.rows(SUBMISSION, [tx.organizationId, happening.trigger.ref, shown.run.id]);
  return started.map(({ run }) => run);
}

/** An automation that was turned off after the happening had named it is counted. */
async function whoListens(tx: Context, happening: Happening): Promise<Listener[]> {
  const { automationId } = happening;
  const listeners = await listenersOf(tx, happening);
  if (automationId !== null && !listeners.some(({ named }) => named))
    await noteDrop(tx, automationId, 'inactive');
  return listeners;
}

const SUBMISSION =
  'update form_submissions set run_id = $3 where organization_id = $1 and id = $2 and run_id is null';

async function start(
  tx: Context,
  happening: Happening & { readonly contactId: string },
  { id: automationId, definition, named }: Listener,
  facts: Facts,
): Promise<Run | null> {
  const { contactId, conversationId, chain, causeRunId, data } = happening;
  const messageId = facts.type === 'message_received' ? happening.trigger.ref : null;
  const candidate = { contactId, conversationId, messageId };
  const trigger = named ? happening.trigger : triggerOf(definition.trigger.type, happening);
  const begunAnew = data['begun_anew'] as number | undefined;
  const beginning = { automationId, ...candidate, trigger, chain, causeRunId, begunAnew };
  const coming = { ...candidate, by: happening.trigger.type };
  const refusal = await refusalOf(tx, automationId, definition.entry, coming);
  const outcome = refusal === null ? await startRun(tx, beginning) : { dropped: refusal };
  if ('run' in outcome) return outcome.run;
  await noteDrop(tx, automationId, outcome.dropped);
  return null;
}

/** As the run shows it: a message may match many triggers, and each automation listens for one of them. */
function triggerOf(
  type: string,
  { trigger, conversationId, data }: Happening,
): Happening['trigger'] {
  if (type === 'conversation_opened') return { type, ref: conversationId };
  if (type === 'campaign_replied') return { type, ref: String(data['campaign_id']) };
  return { type, ref: trigger.ref };
}
