import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { changeNumber } from '../../../src/campaigns/states/number-changes.ts';
import { optOutRefused } from '../../../src/contacts/opt-outs/refused.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { transferConversation } from '../../../src/conversations/assignment/transferring.ts';
import { newId } from '../../../src/ids.ts';
import { addTeam } from '../../../src/members/teams.ts';
import { updateNumber } from '../../../src/numbers/changing.ts';
import { connectNumber } from '../../../src/numbers/connecting.ts';
import { createDeal, moveDeal } from '../../../src/pipelines/service.ts';
import { aNumber, testKeyring } from '../../support/factories/numbers.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { openTriggerScene, type TriggerScene } from './support/scene.ts';

let scene: TriggerScene;
let team: string;
let stage: string;
let nextStage: string;
beforeAll(async () => {
  scene = await openTriggerScene();
  team = (await addTeam(scene.ctx, 'Vendas')).id;
  const { stages } = await aPipeline(scene.ctx);
  [stage, nextStage] = [stages['Novo'] ?? '', stages['Proposta'] ?? ''];
});
afterEach(() => scene.silence());
afterAll(() => scene.close());

const SIZE = { field: 'custom.size', op: 'eq', value: 'G' };
const SAY = { id: 'say', type: 'send_message', text: 'Olá!', next: 'end' };
const down = () => changeNumber(scene.ctx, scene.numberId, { cause: 'socket_closed' });

/** Whoever writes "oi" gets a run that goes through these steps to its end; answers who did. */
async function begin(...steps: object[]): Promise<string> {
  const trigger = { type: 'message_received', match: 'equals', keywords: ['oi'] };
  await scene.automation(newId('atm'), trigger, { steps: [...steps, { id: 'end', type: 'end' }] });
  const from = scene.aPhone();
  await scene.writes(from, 'oi');
  await scene.act();
  return from;
}

/** The same for somebody with the tag `novo`; answers the contact. */
async function waitFor(when: object): Promise<{ from: string; contactId: string }> {
  const from = await begin(
    { id: 'tag', type: 'add_tag', tag: 'novo', next: 'wait' },
    { id: 'wait', type: 'wait_until', when, timeout: 'P30D', next: 'end', on_timeout: 'end' },
  );
  expect(await status()).toBe('waiting');
  const [contact] = await scene.rows<{ id: string }>('select id from contacts where phone = $1', [
    `+${from}`,
  ]);
  return { from, contactId: contact?.id ?? '' };
}

/** Somebody who wrote gets a tag, which starts a run with this step and an end; answers the contact. */
async function tagged(
  step: object,
  before: () => Promise<unknown> = async () => {},
): Promise<string> {
  const from = scene.aPhone();
  await scene.writes(from, 'oi');
  await scene.act();
  const [contact] = await scene.rows<{ id: string }>('select id from contacts where phone = $1', [
    `+${from}`,
  ]);
  await before();
  const steps = [step, { id: 'end', type: 'end' }];
  await scene.automation(newId('atm'), { type: 'tag_added', tags: ['novo'] }, { steps });
  await updateContact(scene.ctx, contact?.id ?? '', { tags: ['novo'] });
  await scene.act();
  return contact?.id ?? '';
}

const CLOSED = Array.from({ length: 7 }, () => ({ open: false, from: '09:00', to: '18:00' }));

const status = async () => (await scene.runs()).at(-1)?.status;

describe('a run that waits until something is so', () => {
  it.each([
    ['a field', SIZE, { custom: { size: 'G' } }],
    ['a tag', { field: 'tag', op: 'has_any', value: ['vip'] }, { tags: ['novo', 'vip'] }],
    ['a tag that goes', { field: 'tag', op: 'has_none', value: ['novo'] }, { tags: [] }],
  ])('goes on with %s, though no automation listens for it', async (_, when, change) => {
    const { contactId } = await waitFor(when);
    await updateContact(scene.ctx, contactId, { name: 'Ana' });
    await scene.act();
    expect(await status()).toBe('waiting');

    await updateContact(scene.ctx, contactId, change);
    await scene.act();

    expect(await status()).toBe('succeeded');
    expect(await scene.waiting()).toBe(0);
  });

  it('goes on with a stage', async () => {
    const { contactId } = await waitFor({ field: 'stage', op: 'has_any', value: [nextStage] });
    const deal = await createDeal(scene.ctx, { contact_id: contactId, stage_id: stage });
    await scene.act();
    expect(await status()).toBe('waiting');

    await moveDeal(scene.ctx, deal.id, { stage_id: nextStage });
    await scene.act();

    expect(await status()).toBe('succeeded');
  });

  it.each([
    [
      'the person wants no more messages',
      () => ({ field: 'opted_out', op: 'is', value: true }),
      (contactId: string) => optOutRefused(scene.ctx, [{ contactId, messageId: newId('msg') }]),
    ],
    [
      'a team has the conversation',
      () => ({ field: 'conversation.team_id', op: 'in', value: [team] }),
      async (contactId: string) => {
        const [talk] = await scene.rows<{ id: string }>(
          'select id from conversations where contact_id = $1',
          [contactId],
        );
        await transferConversation(scene.ctx, talk?.id ?? '', { team_id: team });
      },
    ],
    [
      'a deal is worth more',
      () => ({ field: 'deal.value_cents', op: 'gte', value: 50_000 }),
      (contactId: string) =>
        scene.rows('update deals set value_cents = 60000 where contact_id = $1', [contactId]),
    ],
    [
      'the number is attended from now on',
      () => ({ field: 'now.in_hours', op: 'is', value: true }),
      () => updateNumber(scene.ctx, scene.numberId, { hours: null }),
    ],
  ])('hears at once that %s', async (_, when, change) => {
    await updateNumber(scene.ctx, scene.numberId, { hours: CLOSED });
    const { contactId } = await waitFor(when());
    await createDeal(scene.ctx, { contact_id: contactId, stage_id: stage });
    await scene.act();
    expect(await status()).toBe('waiting');

    await change(contactId);
    await scene.act();

    expect(await status()).toBe('succeeded');
    expect(await scene.waiting()).toBe(0);
  });

  it('keeps nothing of what nobody waits for', async () => {
    const { contactId } = await waitFor(SIZE);
    await updateContact(scene.ctx, contactId, { custom: { size: 'G' } });
    await scene.act();
    expect(await status()).toBe('succeeded');

    await optOutRefused(scene.ctx, [{ contactId, messageId: newId('msg') }]);

    expect(await scene.waiting()).toBe(0);
  });

  it('looks when the person writes', async () => {
    const { from, contactId } = await waitFor(SIZE);
    await scene.rows(`update contacts set custom = '{"size": "G"}' where id = $1`, [contactId]);

    await scene.writes(from, 'bom dia');
    await scene.act();

    expect(await status()).toBe('succeeded');
  });

  it('says what it has to say when its number is back', async () => {
    await down();
    await begin(SAY);
    expect(await status()).toBe('waiting');

    await changeNumber(scene.ctx, scene.numberId, { cause: 'reconnected' });
    await scene.act();

    expect(await status()).toBe('succeeded');
  });

  it('says it when a person has dealt with what took its number down', async () => {
    await changeNumber(scene.ctx, scene.numberId, { cause: 'token_revoked' });
    await begin(SAY);
    expect(await status()).toBe('waiting');

    await connectNumber(scene.ctx, scene.numberId, { accessToken: 'EAAG-fresh' }, testKeyring);
    await scene.act();

    expect(await status()).toBe('succeeded');
  });

  it('says it too when it began by a tag, without a conversation', async () => {
    const contactId = await tagged(SAY, down);
    expect(await status()).toBe('waiting');

    await changeNumber(scene.ctx, scene.numberId, { cause: 'reconnected' });
    await scene.act();

    expect(await status()).toBe('succeeded');
    expect(
      await scene.rows(
        "select text from messages where contact_id = $1 and direction = 'outbound'",
        [contactId],
      ),
    ).toEqual([{ text: 'Olá!' }]);
  });

  it('says it by a new number too, where no other can send', async () => {
    await tagged(SAY, down);
    expect(await status()).toBe('waiting');

    await aNumber(scene.ctx);
    await scene.act();

    expect(await status()).toBe('succeeded');
  });

  it('is left alone by a number that is back, if it waits for something else and has no conversation', async () => {
    const until = { when: SIZE, timeout: 'P30D', on_timeout: 'end' };
    await tagged({ id: 'wait', type: 'wait_until', ...until, next: 'end' });
    await down();

    await changeNumber(scene.ctx, scene.numberId, { cause: 'reconnected' });

    expect(await status()).toBe('waiting');
    expect(await scene.waiting()).toBe(0);
  });

  it('holds nothing up when it cannot go on', async () => {
    await down();
    const from = await begin(SAY);
    const MOST = 2 ** 31 - 1; // One step more cannot be written down.
    await scene.rows(
      'update automation_runs set steps_since_input = $1 where id = (select max(id) from automation_runs)',
      [MOST],
    );
    await scene.rows("update numbers set status = 'connected'");
    await scene.automation('Vip', { type: 'tag_added', tags: ['vip'] });

    const [contact] = await scene.rows<{ id: string }>('select id from contacts where phone = $1', [
      `+${from}`,
    ]);
    await updateContact(scene.ctx, contact?.id ?? '', { tags: ['vip'] });
    await scene.act();

    expect(await scene.runs('Vip')).toMatchObject([{ status: 'succeeded' }]);
    expect(await scene.waiting()).toBe(0);
  });
});
