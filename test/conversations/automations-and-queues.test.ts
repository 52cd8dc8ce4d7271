import { beforeEach, describe, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { assignmentsTending } from '../../src/conversations/assignment/returning.ts';
import { lostOutcome } from '../../src/conversations/lane/outcomes.ts';
import { setPresence } from '../../src/members/presence.ts';
import { memberActor } from '../support/members.ts';
import { CRM, type Talk, writingScene } from './support/writing.ts';

const place = writingScene();

const ana = memberActor({ console: true });

/** The lane could not send it. */
const givenUp = (messageId: string): Promise<void> =>
  place.settled(messageId, lostOutcome('number_unavailable', 'The number is away.'));

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
  setPresence(place.fresh(system('tests')), place.member.id, { online: true });

const minute = () =>
  assignmentsTending(place.stage.database, (_, actor) => place.fresh(actor)).tend(
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
      const talk = await place.asked();
      const { since } = await standing(talk);

      await place.automated(talk, by);
      await place.automated(talk, by);

      expect(since).not.toBeNull();
      expect(await standing(talk)).toEqual({ since, member: null });
      await comes();
      expect(await standing(talk)).toEqual({ since, member: place.member.id });
    },
  );

  it('is given out by the minute, after an automation spoke', async () => {
    const talk = await place.asked();
    await place.automated(talk);
    await place.rows(`update members set online_until = now() + interval '1 hour'`);

    await minute();

    expect(await standing(talk)).toMatchObject({ member: place.member.id });
  });

  const ANSWERS: [string, (talk: Talk) => Promise<unknown>][] = [
    ['a member', (talk) => place.said(talk, ana)],
    ['a key', (talk) => place.said(talk, CRM)],
    ['the handset', (talk) => place.typed(talk)],
  ];
  it.each(ANSWERS)('is answered by %s', async (_, speaks) => {
    const talk = await place.asked();
    await place.automated(talk);

    await speaks(talk);

    expect(await waits(talk)).toBe(false);
  });

  it('waits again for a lost answer, though an automation spoke', async () => {
    const talk = await place.asked();
    await place.automated(talk);
    const answer = await place.said(talk, CRM);
    expect(await waits(talk)).toBe(false);

    await givenUp(answer);

    expect(await waits(talk)).toBe(true);
  });

  it('waits again for the lost answer of whom the queue found after an automation spoke', async () => {
    const talk = await place.asked();
    await place.automated(talk);
    await comes();
    const answer = await place.said(talk, { ...ana, id: place.member.id });

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
    const talk = await place.asked();
    expect(await standing(talk)).toMatchObject({ member: place.member.id });

    await place.automated(talk);

    expect(await waits(talk)).toBe(false);
    await givenUp(await place.automated(talk));
    expect(await waits(talk)).toBe(false);
  });

  it.each([
    ['of a team that has no queue', 'update teams set auto_assign = false'],
    ['of no team', 'update numbers set default_team_id = null'],
  ])('whoever waits for somebody %s', async (_, setUp) => {
    await place.rows(setUp);
    const talk = await place.asked();

    await place.automated(talk);

    expect(await waits(talk)).toBe(false);
    await givenUp(await place.automated(talk));
    expect(await waits(talk)).toBe(false);
  });
});
