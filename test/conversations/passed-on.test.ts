import { describe, expect, it } from '@jest/globals';
import type { Actor } from '../../src/access/actor.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { memberActor } from '../support/members.ts';
import { CRM, type Talk, writingScene } from './support/writing.ts';

const place = writingScene();

const ana = memberActor({ console: true });
const bia: Actor = { ...ana, id: 'mem_2', name: 'Bia' };
const pass = ({ id }: Talk, to?: string): Promise<unknown> =>
  transferConversation(place.fresh(ana), id, { team_id: place.member.teamId, member_id: to });

async function waits({ id }: Talk): Promise<boolean | undefined> {
  const [row] = await place.rows<{ waits: boolean }>(
    'select waiting_since is not null as waits from conversations where id = $1',
    [id],
  );
  return row?.waits;
}

const SPEAKERS: [string, (talk: Talk) => Promise<unknown>][] = [
  ['an automation', (talk) => place.automated(talk)],
  ['a CRM', (talk) => place.said(talk, CRM)],
  ['the handset', (talk) => place.typed(talk)],
  ['the member who passed them on', (talk) => place.said(talk, ana)],
];

describe('whoever was passed on to a team', () => {
  it.each(SPEAKERS)('waits for it, whatever is said to them by %s', async (_, speaks) => {
    const talk = await place.asked();
    await pass(talk);

    await speaks(talk);

    expect(await waits(talk)).toBe(true);
  });

  it.each(SPEAKERS)('and then wrote again is answered by %s', async (_, speaks) => {
    const talk = await place.asked();
    await pass(talk);
    await place.writes(talk.phone, 'Alguém aí?');

    await speaks(talk);

    expect(await waits(talk)).toBe(false);
  });

  it('still waits for it when they correct what they wrote', async () => {
    const talk = await place.asked();
    await pass(talk);
    const message = { type: 'text', text: { body: 'Tem bolo?' } };
    const edit = { original_message_id: 'wamid.x', message };
    await place.writes(talk.phone, '', { type: 'edit', text: undefined, edit });

    await place.automated(talk);

    expect(await waits(talk)).toBe(true);
  });

  it('is answered by another member, though they did not take the conversation', async () => {
    const talk = await place.asked();
    await pass(talk);

    await place.said(talk, bia);

    expect(await waits(talk)).toBe(false);
  });

  it('is answered by anybody once somebody has the conversation', async () => {
    const talk = await place.asked();
    await pass(talk);
    await pass(talk, place.member.id);

    await place.said(talk, CRM);

    expect(await waits(talk)).toBe(false);
  });
});
