import { describe, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { cancelRun } from '../../src/automations/runs.ts';
import { deactivateAutomation } from '../../src/automations/transitions.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { lostOutcome } from '../../src/conversations/lane/outcomes.ts';
import { sendToConversation } from '../../src/conversations/sending/sending.ts';
import { transact } from '../../src/db/transact.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { memberActor } from '../support/members.ts';
import { writingScene } from './support/writing.ts';

const place = writingScene();

const automations = () => place.fresh(system('automations'));
const ana = () => place.fresh(memberActor({ console: true }));

interface Talk {
  readonly id: string;
  readonly automationId: string;
  readonly runId: string;
  /** What the run has yet to say. */
  readonly answer: string;
}

const says = ({ id, automationId, runId }: Omit<Talk, 'answer'>): Promise<string> =>
  place.automated({ id }, 'automation', { automationId, runId });

/** Somebody asked something, and a run's answer is in the queue. */
async function answered(): Promise<Talk> {
  const { id, phone, contactId } = await place.asked();
  const { id: automationId } = await anActiveAutomation(place.ctx, { name: `Olá ${phone}` });
  const runId = await aRun(place.ctx, { automationId, contactId, conversationId: id });
  const talk = { id, automationId, runId };
  return { ...talk, answer: await says(talk) };
}

const cancels = ({ runId }: Talk): Promise<unknown> => cancelRun(automations(), runId);

const state = async ({ id, answer }: Talk): Promise<unknown> =>
  (
    await place.rows(
      `select v.waiting_since is not null as waits, m.status as message
       from conversations v, messages m where v.id = $1 and m.id = $2`,
      [id, answer],
    )
  )[0];

const ENDINGS: [string, (talk: Talk) => Promise<unknown>][] = [
  ['its run is cancelled', cancels],
  [
    'its automation is deactivated with its runs',
    ({ automationId }) => deactivateAutomation(automations(), automationId, 'cancel'),
  ],
  [
    'a member is given the conversation',
    ({ id }) =>
      transferConversation(ana(), id, { team_id: place.member.teamId, member_id: place.member.id }),
  ],
];

describe('whoever an automation was about to answer', () => {
  it.each(ENDINGS)('waits again when %s', async (_, ends) => {
    const talk = await answered();
    const before = await state(talk);

    await ends(talk);

    const after = await state(talk);
    expect([before, after]).toEqual([
      { waits: false, message: 'queued' },
      { waits: true, message: 'cancelled' },
    ]);
  });

  it('waits again when it is not tried again, after WhatsApp turned it away', async () => {
    const talk = await answered();
    await place.rows(`update messages set status = 'sending' where id = $1`, [talk.answer]);
    await cancels(talk);
    const before = await state(talk);

    await place.settled(talk.answer, { status: 'cancelled' });

    expect([before, await state(talk)]).toEqual([
      { waits: false, message: 'sending' },
      { waits: true, message: 'cancelled' },
    ]);
  });

  it('waits again when one answer is lost, and the next one withdrawn', async () => {
    const talk = await answered();
    const next = await says(talk);
    await place.settled(talk.answer, lostOutcome('number_unavailable', 'The number is away.'));
    const before = await state(talk);

    await cancels(talk);

    expect([before, await state({ ...talk, answer: next })]).toEqual([
      { waits: false, message: 'failed' },
      { waits: true, message: 'cancelled' },
    ]);
  });

  it('does not wait when an earlier answer has reached them', async () => {
    const talk = await answered();
    await place.settled(talk.answer, { status: 'sent', providerId: `wamid.${talk.answer}` });
    const answer = await says(talk);

    await cancels(talk);

    expect(await state({ ...talk, answer })).toEqual({ waits: false, message: 'cancelled' });
  });

  it('does not wait when a member answers instead', async () => {
    const talk = await answered();

    await sendToConversation(ana(), talk.id, { text: 'Temos!' });

    expect(await state(talk)).toEqual({ waits: false, message: 'cancelled' });
  });

  it('keeps their answer for the lane to withdraw while somebody else is at the conversation', async () => {
    const talk = await answered();

    await transact(ana(), async (tx) => {
      await tx.sql.rows('select from conversations where id = $1 for update', [talk.id]);
      await cancels(talk);
    });
    const before = await state(talk);
    await place.settled(talk.answer, { status: 'cancelled' });

    expect([before, await state(talk)]).toEqual([
      { waits: false, message: 'queued' },
      { waits: true, message: 'cancelled' },
    ]);
  });
});
