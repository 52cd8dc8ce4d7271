import { describe, expect, it } from '@jest/globals';
import { type Actor, system } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { sendToConversation } from '../../src/conversations/sending/sending.ts';
import { transact } from '../../src/db/transact.ts';
import { anEcho } from '../inbound/support/echo.ts';
import { memberActor } from '../support/members.ts';
import { writingScene } from './support/writing.ts';

const place = writingScene();

const ana = memberActor({ console: true });
const bia: Actor = { ...ana, id: 'mem_2', name: 'Bia' };
const key: Actor = {
  ...{ type: 'service_account', id: 'sva_1', name: 'CRM', credentialId: 'key_1' },
  scopes: new Set(['messages:write']),
};

const fresh = (actor: Actor): Context => ({
  ...{ ...place.ctx, em: place.ctx.em.fork() },
  ...{ now: new Date(), actor },
});

interface Talk {
  readonly id: string;
  readonly phone: string;
}

/** Somebody asked something. */
async function asked(): Promise<Talk> {
  const phone = place.aPhone();
  await place.writes(phone, 'Tem bolo para sábado?');
  const [talk] = await place.rows<{ id: string }>(
    `select v.id from conversations v join contacts c on c.id = v.contact_id where c.phone = $1`,
    [`+${phone}`],
  );
  return { id: talk?.id ?? '', phone };
}

const pass = ({ id }: Talk, to?: string): Promise<unknown> =>
  transferConversation(fresh(ana), id, { team_id: place.member.teamId, member_id: to });

const said = ({ id }: Talk, actor: Actor): Promise<unknown> =>
  sendToConversation(fresh(actor), id, { text: 'Passei você para o suporte.' });

async function typed({ phone }: Talk): Promise<void> {
  const echo = anEcho(place.phoneNumberId, { id: `wamid.typed.${phone}`, to: phone });
  await place.stage.post(echo);
  await place.stage.process();
}

const automated = ({ id }: Talk): Promise<unknown> =>
  transact(fresh(system('automations')), (tx) =>
    queueMessage(tx, {
      ...{ conversationId: id, text: 'Respondemos amanhã às 8h.' },
      ...{ source: 'automation', handledBy: 'automation' },
    }),
  );

async function waits({ id }: Talk): Promise<boolean | undefined> {
  const [row] = await place.rows<{ waits: boolean }>(
    'select waiting_since is not null as waits from conversations where id = $1',
    [id],
  );
  return row?.waits;
}

const SPEAKERS: [string, (talk: Talk) => Promise<unknown>][] = [
  ['an automation', automated],
  ['a key', (talk) => said(talk, key)],
  ['the handset', typed],
  ['the member who passed them on', (talk) => said(talk, ana)],
];

describe('whoever was passed on to a team', () => {
  it.each(SPEAKERS)('waits for it, whatever is said to them by %s', async (_, speaks) => {
    const talk = await asked();
    await pass(talk);

    await speaks(talk);

    expect(await waits(talk)).toBe(true);
  });

  it.each(SPEAKERS)('and then wrote again is answered by %s', async (_, speaks) => {
    const talk = await asked();
    await pass(talk);
    await place.writes(talk.phone, 'Alguém aí?');

    await speaks(talk);

    expect(await waits(talk)).toBe(false);
  });

  it('still waits for it when they correct what they wrote', async () => {
    const talk = await asked();
    await pass(talk);
    const message = { type: 'text', text: { body: 'Tem bolo?' } };
    const edit = { original_message_id: 'wamid.x', message };
    await place.writes(talk.phone, '', { type: 'edit', text: undefined, edit });

    await automated(talk);

    expect(await waits(talk)).toBe(true);
  });

  it('is answered by another member, though they did not take the conversation', async () => {
    const talk = await asked();
    await pass(talk);

    await said(talk, bia);

    expect(await waits(talk)).toBe(false);
  });

  it('is answered by anybody once somebody has the conversation', async () => {
    const talk = await asked();
    await pass(talk);
    await pass(talk, place.member.id);

    await said(talk, key);

    expect(await waits(talk)).toBe(false);
  });
});
