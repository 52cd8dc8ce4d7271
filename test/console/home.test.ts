import { describe, expect, it } from '@jest/globals';
import { noteActivity } from '../../src/conversations/activities.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { updateMember } from '../../src/members/changing.ts';
import { updateTeam } from '../../src/members/teams.ts';
import type { WhatsAppNumber } from '../../src/numbers/entities.ts';
import { removeNumber } from '../../src/numbers/removing.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aMember } from '../support/members.ts';
import { itIsNoon } from '../support/noon.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const ticked = async (): Promise<number> => {
  const { text } = await scene.people.owner.get(scene.base);
  return text.match(/<li class="done">/g)?.length ?? 0;
};

const setStatus = (id: string, status: string) =>
  rowsOf(scene.ctx, 'update numbers set status = $2 where id = $1', [id, status]);

describe('the first page', () => {
  it('says who connects a number, and leads there from every form that needs one', async () => {
    const { base, people } = scene;
    const numbers = `${base}/numbers`;
    const { text } = await people.owner.get(numbers);
    const emPortugues = await people.owner.get(numbers, { 'accept-language': 'pt-BR' });

    expect(text).toContain('wms number add');
    expect(emPortugues.text).toContain('Quem opera este serviço conecta um para você');
    for (const form of ['/campaigns/new', '/reminders/new'])
      expect((await people.owner.get(base + form)).text).toContain(
        `needs a connected number. Whoever operates this service connects one. <a href="${numbers}">Numbers</a>`,
      );
  });

  it('says who connects a number also where there are some, and none of them sends', async () => {
    const { ctx, base, people } = scene;
    const { id } = await aNumber(ctx);
    await setStatus(id, 'disconnected');
    const down = await people.owner.get(`${base}/numbers`);
    await setStatus(id, 'degraded');
    const sending = await people.owner.get(`${base}/numbers`);
    await removeNumber(ctx, id);

    expect(down.text).toContain('wms number connect');
    expect(sending.text).not.toContain('wms number connect');
  });

  it('names the numbers that send nothing, and leads whoever may see them to each', async () => {
    const { ctx, base, people } = scene;
    const one = await aNumber(ctx, { name: 'Balcão' });
    const other = await aNumber(ctx, { name: 'Entregas' });
    const link = ({ id, name }: WhatsAppNumber) => `<a href="${base}/numbers/${id}">${name}</a>`;
    await setStatus(one.id, 'disconnected');
    const first = await people.owner.get(base);
    const emPortugues = await people.owner.get(base, { 'accept-language': 'pt-BR' });
    await setStatus(other.id, 'suspended');
    const both = await people.owner.get(base);
    for (const { id } of [one, other]) await removeNumber(ctx, id);

    expect(first.text).toContain(`Not connected: ${link(one)}. Nothing is sent through it.`);
    expect(emPortugues.text).toContain(`Sem conexão: ${link(one)}. Nada é enviado por ele.`);
    expect(both.text).toContain(
      `Not connected: ${link(other)}, ${link(one)}. Nothing is sent through them.`,
    );
  });

  it('shows the list to nobody who can do nothing about it', async () => {
    expect((await scene.people.owner.get(scene.base)).text).toContain('First steps');
    expect((await scene.people.agent.get(scene.base)).text).not.toContain('First steps');
  });

  it('ticks each first step when it happens, and is without the list once all are done', async () => {
    const { ctx } = scene;
    expect(await ticked()).toBe(0);
    const { id: numberId } = await aNumber(ctx, { name: 'Vendas' });
    await setStatus(numberId, 'provisioning');
    expect(await ticked()).toBe(0);
    await setStatus(numberId, 'degraded');
    expect(await ticked()).toBe(1);
    await anApiKey(ctx);
    expect(await ticked()).toBe(2);
    await anEndpoint(ctx, 'http://127.0.0.1:9/hooks');
    expect(await ticked()).toBe(3);
    const { id: contactId } = await aContact(ctx, { name: 'Ana' });
    const conversationId = await aConversation(ctx, { numberId, contactId });
    await itIsNoon(ctx);
    const sent = { numberId, contactId, conversationId, sentAt: new Date() };
    await someMessages(ctx, { ...sent, count: 3, status: 'delivered' });

    const { text } = await scene.people.owner.get(scene.base);
    expect(text).not.toContain('First steps');
    expect(text).toContain('<dt>Delivered</dt><dd>3');
  });

  it('names the campaigns that nobody paused and the endpoints that do not answer, and nothing else', async () => {
    const { ctx, people } = scene;
    const number = await aNumber(ctx);
    const { id: contact } = await aContact(ctx, { name: 'Bia' });
    const to = { number_id: number.id, contact_ids: [contact] };
    const stopped = await aCampaign(ctx, { ...to, name: 'Natal' });
    const waiting = await aCampaign(ctx, { ...to, name: 'Carnaval' });
    const down = await anEndpoint(ctx, 'http://127.0.0.1:9/down');
    const up = await anEndpoint(ctx, 'http://127.0.0.1:9/up');
    await inWorkspace(scene.database, ctx.organizationId, async (sql) => {
      const pause = "update campaigns set status = 'paused', pause_reason = $2 where id = $1";
      await sql.rows(pause, [stopped.id, 'error_rate']);
      await sql.rows(pause, [waiting.id, 'member']);
      await sql.rows('update webhook_endpoints set failures_in_row = 5 where id = $1', [down.id]);
      await sql.rows('update webhook_endpoints set failures_in_row = 4 where id = $1', [up.id]);
    });

    const { text } = await people.owner.get(scene.base);

    expect(text).toContain(
      `The campaign <a href="${scene.base}/campaigns/${stopped.id}">Natal</a> is paused. Too many messages failed.`,
    );
    expect(text).toContain(`/webhooks/${down.id}">Pedidos</a> does not answer.`);
    expect(text).not.toContain(waiting.id);
    expect(text).not.toContain(up.id);
    expect((await people.owner.get(`${scene.base}/webhooks`)).text).toContain('does not answer');
    expect((await people.agent.get(scene.base)).text).not.toContain(down.id);
  });

  it('names who waits in a conversation that nobody answered in its time, to those who see it', async () => {
    const { ctx, people } = scene;
    const { id: numberId } = await aNumber(ctx);
    const { teamIds, ...member } = await aMember(ctx, { teams: ['Plantão'], visibility: 'teams' });
    const other = await aMember(ctx, { teams: ['Longe'], visibility: 'teams' });
    const [teamId = ''] = teamIds;
    await updateTeam(ctx, teamId, { returnAfterMinutes: 10 });
    const { id: contactId } = await aContact(ctx, { name: 'Rita Lima' });
    const id = await aConversation(ctx, { numberId, contactId });
    const link = `answers: <a href="${scene.base}/inbox/${id}#newest">Rita Lima</a>`;
    await rowsOf(
      ctx,
      "update conversations set assigned_team_id = $2, waiting_since = now() - interval '1 hour' where id = $1",
      [id, teamId],
    );
    expect((await people.owner.get(scene.base)).text).not.toContain('Rita Lima');
    await transact(ctx, (tx) =>
      noteActivity(tx, id, 'unanswered', { team_id: teamId, member_id: null }),
    );

    for (const who of [people.owner, await scene.visitor(member.id)])
      expect((await who.get(scene.base)).text).toContain(link);
    const stranger = await scene.visitor(other.id);
    expect((await stranger.get(scene.base)).text).not.toContain('Rita Lima');

    await transact(ctx, (tx) =>
      noteActivity(tx, id, 'assigned', { team_id: teamId, member_id: member.id }),
    );
    expect((await people.owner.get(scene.base)).text).not.toContain('Rita Lima');
  });

  it('names those who wait longest where many do, and says when there are more', async () => {
    const { ctx, people } = scene;
    const { id: numberId } = await aNumber(ctx);
    const { teamIds } = await aMember(ctx, { teams: ['Dia', 'Noite'] });
    for (const teamId of teamIds) await updateTeam(ctx, teamId, { returnAfterMinutes: 10 });
    const wait = async (name: string, hours: number, teamId = ''): Promise<void> => {
      const { id: contactId } = await aContact(ctx, { name });
      const id = await aConversation(ctx, { numberId, contactId });
      await transact(ctx, async (tx) => {
        await tx.sql.rows(
          `update conversations set assigned_team_id = $2, waiting_since = now() - $3 * interval '1 hour' where id = $1`,
          [id, teamId, hours],
        );
        await noteActivity(tx, id, 'unanswered', { team_id: teamId, member_id: null });
      });
    };
    for (let n = 1; n <= 19; n += 1) await wait(`Soon ${n}`, 20, teamIds[n % 2]);
    await wait('Latest', 1, teamIds[0]);
    const more = `<a href="${scene.base}/inbox?status=open">More are waiting in the inbox.</a>`;
    const before = (await people.owner.get(scene.base)).text;
    expect(before).toContain('>Latest</a>');
    expect(before).not.toContain(more);

    await wait('Longest', 90, teamIds[1]);
    const { text } = await people.owner.get(scene.base);

    expect(text).toMatch(/answers: <a[^>]*>Longest<\/a>/);
    expect(text).not.toContain('>Latest</a>');
    expect(text).toContain(more);
  });

  it('names a campaign that stopped before many others were paused by hand, and says when there are more', async () => {
    const { ctx, people } = scene;
    const number = await aNumber(ctx);
    const { id: contact } = await aContact(ctx, { name: 'Eva' });
    const pause = async (reason: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const { id } = await aCampaign(ctx, {
          number_id: number.id,
          contact_ids: [contact],
          name: reason,
        });
        await rowsOf(
          ctx,
          "update campaigns set status = 'paused', pause_reason = $2 where id = $1",
          [id, reason],
        );
      }
    };
    await pause('quota', 1);
    await pause('member', 20);
    const shown = async (): Promise<string> => (await people.owner.get(scene.base)).text;
    expect(await shown()).toContain('>quota</a> is paused.');
    expect(await shown()).not.toContain('More campaigns are paused');

    await pause('error_rate', 20);
    expect(await shown()).toContain('/campaigns?status=paused">More campaigns are paused.</a>');
  });

  it('greets a member by the name that the workspace gives them', async () => {
    const { ctx, people } = scene;
    await updateMember(ctx, people.agent.memberId, { name: 'Dora Lins' });

    const { text } = await people.agent.get(scene.base);

    expect(text).toContain('<h1>Hello, Dora Lins</h1>');
    expect(text).toContain('<div class="who">Dora Lins<');
  });

  it('names no campaign that stopped on a number which the member does not see', async () => {
    const { ctx, people } = scene;
    const { id: number_id } = await aNumber(ctx);
    const { id: contactId } = await aContact(ctx);
    const wishes = { number_id, contact_ids: [contactId], name: 'Reservada' };
    const { id } = await aCampaign(ctx, wishes);
    const pause =
      "update campaigns set status = 'paused', pause_reason = 'error_rate' where id = $1";
    await rowsOf(ctx, pause, [id]);
    const member = await aMember(ctx, { teams: ['Longe'], visibility: 'teams' });
    const stranger = await scene.visitor(member.id);

    expect((await people.owner.get(scene.base)).text).toContain('Reservada');
    expect((await stranger.get(scene.base)).text).not.toContain('Reservada');
  });
});
