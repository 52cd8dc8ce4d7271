import { said } from '../../../automated/answers.ts';
import type { Context } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import type { AtStep, Reply, Wake } from '../effect.ts';
import type { Run } from '../run.ts';
import { conversationOfRun } from '../talking/places.ts';

/**
 * What a run has heard once it continues. Messages written while it waited for something else are no replies to its
 * next question.
 */
export async function heardOnWaking(tx: Context, run: Run, wake: Wake): Promise<Run> {
  if (wake.by === 'reply') return { ...run, messageId: wake.message.id, stepsSinceInput: 0 };
  return run.waitsFor === 'time' || run.waitsFor === 'condition' ? passOver(tx, run) : run;
}

/**
 * The run, to which nothing written so far is a reply any more, although it shows that the person is there.
 */
export async function passOver(tx: Context, run: Run): Promise<Run> {
  const latest = await latestMessage(tx, run);
  if (latest === null) return run;
  const since = latest > heardUntil(run) ? 0 : run.stepsSinceInput;
  return { ...run, repliesAfter: latest, stepsSinceInput: since };
}

/**
 * Message ids increase as messages are stored. A run that no message started hears what is written after its start.
 */
const heardUntil = ({ id, messageId, repliesAfter }: Run): string =>
  [messageId ?? id.replace(/^run_/, 'msg_'), repliesAfter ?? ''].reduce((a, b) => (a > b ? a : b));

const INBOUND = `from messages where organization_id = $1 and conversation_id = $2 and direction = 'inbound'`;
const LATEST = `select id ${INBOUND} order by id desc limit 1`;
/**
 * Replies are taken in the order in which they were stored; each is heard once, and by one run. An opt-out word answers
 * no question.
 */
const REPLY = `
select id, text, type ${INBOUND} and id > $3 and ${said('messages')} and id is distinct from (
  select c.opt_out_message_id from conversations v join contacts c on c.organization_id = $1 and c.id = v.contact_id
  where v.organization_id = $1 and v.id = $2)
  and not exists (select from automation_runs o where o.organization_id = $1 and o.conversation_id = $2
    and o.id <> $4 and o.message_id >= messages.id)
order by id limit 1`;

async function latestMessage(tx: Context, run: Run): Promise<string | null> {
  // The step that asks may have found the conversation.
  const conversationId = run.conversationId ?? (await conversationOfRun(tx, run.id));
  if (conversationId === null) return null;
  const params = [tx.organizationId, conversationId];
  return (await first<{ id: string }>(tx.sql, LATEST, params, 'latest-message'))?.id ?? null;
}

/** The oldest message that the run has not heard; null if there is none. */
export const nextReply = ({ sql, organizationId }: Context, run: Run): Promise<Reply | null> =>
  first<Reply>(
    sql,
    REPLY,
    [organizationId, run.conversationId, heardUntil(run), run.id],
    'next-reply',
  );

const SAID_MEANWHILE = `
select m.id from conversations v cross join lateral (
  select id from messages
  where organization_id = $1 and conversation_id = v.id and direction = 'inbound' and ${said('messages')}
    and created_at > (select started_at from automation_run_steps where organization_id = $1 and run_id = $2 and seq = $3)
  order by id desc limit 1) m
where v.organization_id = $1 and v.contact_id = $4 and ($5::text is null or v.id = $5)
order by m.id desc limit 1`;

/**
 * What the person wrote last since the run came to this step, in its conversation, or anywhere if it has none yet;
 * null if nothing. The run has not taken it.
 */
export async function saidMeanwhile({ tx, run, seq }: AtStep): Promise<string | null> {
  const { id, contactId, conversationId } = run;
  const params = [tx.organizationId, id, seq, contactId, conversationId];
  return (
    (await first<{ id: string }>(tx.sql, SAID_MEANWHILE, params, 'said-meanwhile'))?.id ?? null
  );
}
