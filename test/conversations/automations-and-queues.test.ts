import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Actor, system } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { assignmentsTending } from '../../src/conversations/assignment/returning.ts';
import { lost } from '../../src/conversations/lane/outcomes.ts';
import { settle } from '../../src/conversations/lane/settling.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { sendToConversation } from '../../src/conversations/sending/sending.ts';
import { transact } from '../../src/db/transact.ts';
import { setPresence } from '../../src/members/presence.ts';
import { anEcho } from '../inbound/support/echo.ts';
import { memberActor } from '../support/members.ts';
import { writingScene } from './support/writing.ts';

const place = writingScene();

const key: Actor = {
  ...{ type: 'service_account', id: 'sva_1', name: 'CRM', credentialId: 'key_1' },
  scopes: new Set(['messages:write']),
};
const ana = memberActor({ console: true });

const fresh = (actor: Actor): Context => ({
  ...{ ...place.ctx, em: place.ctx.em.fork() },
  ...{ now: new Date(), actor },
});

interface Talk {
  readonly id: string;
  readonly phone: string;
}

/** Somebody asked something, and the number gave their conversation to its team. */
async function asked(): Promise<Talk> {
  const phone = place.aPhone();
  await place.writes(phone, 'Tem bolo para sábado?');
  const [talk] = await place.rows<{ id: string }>(
    `select v.id from conversations v join contacts c on c.id = v.contact_id where c.phone = $1`,
    [`+${phone}`],
  );
  return { id: talk?.id ?? '', phone };
}

const automated = ({ id }: Talk, handledBy: 'automation' | 'ai' = 'automation'): Promise<string> =>
  transact(fresh(system('automations')), (tx) =>
    queueMessage(tx, {
      ...{ conversationId: id, text: 'Já vamos te responder.' },
      ...{ source: 'automation', byAi: handledBy === 'ai', handledBy },
    }),
  );

async function said({ id }: Talk, actor: Actor): Promise<string> {
  const message = await sendToConversation(fresh(actor), id, { text: 'Temos!' });
  return (message as { id: string }).id;
}

async function typed({ phone }: Talk): Promise<void> {
  const echo = anEcho(place.phoneNumberId, { id: `wamid.typed.${phone}`, to: phone });
  await place.stage.post(echo);
  await place.stage.process();
}

const TOKEN = '0195c1f0-0000-7000-8000-000000000001';

/** The lane could not send it. */
async function givenUp(messageId: string): Promise<void> {
  await place.rows('update outgoing_messages set claim_token = $1 where message_id = $2', [
    ...[TOKEN, messageId],
  ]);
  const { organizationId, now } = fresh(system('lane'));
  const outcome = lost('number_unavailable', 'The number is away.');
  await transact(fresh(system('lane')), (tx) =>
    settle(tx.sql, { organizationId, token: TOKEN, now }, [{ messageId, outcome }]),
  );
}

async function standing({ id }: Talk): Promise<{ since: Date | null; member: string | null }> {
  const [row] = await place.rows<{ since: Date | null; member: string | null }>(
    'select waiting_since as since, assigned_member_id as member from conversations where id = $1',
    [id],
  );
  if (!row) throw new Error('There is no such conversation.');
  return row;
}

const waits = async (talk: Talk): Promise<boolean> => (await standing(talk)).since !== null;

const comes = (): Promise<unknown> =>
  setPresence(fresh(system('tests')), place.member.id, { online: true });

const minute = () =>
  assignmentsTending(place.stage.database, (_, actor) => fresh(actor)).tend(
    place.ctx.organizationId,
  );

beforeEach(async () => {
  const { numberId, member } = place;
  await place.rows('update teams set auto_assign = true');
  await place.rows('update members set online_until = null');
  await place.rows(`update conversations set status = 'closed', waiting_since = null`);
  await place.rows(
    `insert into number_teams select organization_id, $1, id from teams where id = $2 on conflict do nothing`,
    [numberId, member.teamId],
  );
  await place.rows('update numbers set default_team_id = $1', [member.teamId]);
});

describe('whoever is in the queue of a team', () => {
  it.each(['automation', 'ai'] as const)(
    'keeps their place whatever an automation says, and goes to who comes online: %s',
    async (by) => {
      const talk = await asked();
      const { since } = await standing(talk);

      await automated(talk, by);
      await automated(talk, by);

      expect(since).not.toBeNull();
      expect(await standing(talk)).toEqual({ since, member: null });
      await comes();
      expect(await standing(talk)).toEqual({ since, member: place.member.id });
    },
  );

  it('is given out by the minute, after an automation spoke', async () => {
    const talk = await asked();
    await automated(talk);
    await place.rows(`update members set online_until = now() + interval '1 hour'`);

    await minute();

    expect(await standing(talk)).toMatchObject({ member: place.member.id });
  });

  const ANSWERS: [string, (talk: Talk) => Promise<unknown>][] = [
    ['a member', (talk) => said(talk, ana)],
    ['a key', (talk) => said(talk, key)],
    ['the handset', typed],
  ];
  it.each(ANSWERS)('is answered by %s', async (_, speaks) => {
    const talk = await asked();
    await automated(talk);

    await speaks(talk);

    expect(await waits(talk)).toBe(false);
  });

  it('waits again for a lost answer, though an automation spoke', async () => {
    const talk = await asked();
    await automated(talk);
    const answer = await said(talk, key);
    expect(await waits(talk)).toBe(false);

    await givenUp(answer);

    expect(await waits(talk)).toBe(true);
  });

  it('waits again for the lost answer of whom the queue found after an automation spoke', async () => {
    const talk = await asked();
    await automated(talk);
    await comes();
    const answer = await said(talk, { ...ana, id: place.member.id });

    await givenUp(answer);

    expect(await standing(talk)).toMatchObject({
      since: expect.any(Date),
      member: place.member.id,
    });
  });
});

describe('an automation answers', () => {
  it('whom the queue gave to a member before', async () => {
    await comes();
    const talk = await asked();
    expect(await standing(talk)).toMatchObject({ member: place.member.id });

    await automated(talk);

    expect(await waits(talk)).toBe(false);
    await givenUp(await automated(talk));
    expect(await waits(talk)).toBe(false);
  });

  it.each([
    ['of a team that has no queue', 'update teams set auto_assign = false'],
    ['of no team', 'update numbers set default_team_id = null'],
  ])('whoever waits for somebody %s', async (_, setUp) => {
    await place.rows(setUp);
    const talk = await asked();

    await automated(talk);

    expect(await waits(talk)).toBe(false);
    await givenUp(await automated(talk));
    expect(await waits(talk)).toBe(false);
  });
});
