import { describe, expect, it } from '@jest/globals';
import { listAudit } from '../../src/audit/reading.ts';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { getContact } from '../../src/contacts/service.ts';
import type { ReadContext } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { filledIn, formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const REASON = 'Pediu por telefone em 20/11 <às 9h>';

async function optedOut(): Promise<{ readonly id: string; readonly page: string }> {
  const { id } = await aContact(scene.ctx, { name: 'Ana Souza', notes: 'Gosta de café' });
  await transact(scene.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null }));
  return { id, page: `${scene.base}/contacts/${id}` };
}

const reading = <T>(work: (ctx: ReadContext) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));
const isOut = async (id: string) => (await reading((ctx) => getContact(ctx, id))).opted_out;
const entriesOf = async (id: string, wanted: string) =>
  (await reading((ctx) => listAudit(ctx, { before: null, limit: 50 }))).filter(
    ({ action, target }) => action === wanted && target?.id === id,
  );
const optIns = (id: string) => entriesOf(id, 'contact.opted_in');

const wish = async (id: string) => {
  const contact = await reading((ctx) => getContact(ctx, id));
  return [contact.opted_out, contact.opt_out_source];
};

describe('that a person wants no messages', () => {
  it('is noted by a member on their page, once however often it is sent, and stands in the log', async () => {
    const { id } = await aContact(scene.ctx, { name: 'Rui Lima' });
    const page = `${scene.base}/contacts/${id}`;
    const { agent } = scene.people;
    const sent = formIn((await agent.get(page)).text, 'opt_out');

    const both = await Promise.all([agent.post(page, sent), agent.post(page, sent)]);

    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect(await wish(id)).toEqual([true, 'member']);
    expect(await entriesOf(id, 'contact.opted_out')).toMatchObject([
      {
        actor: { type: 'member', id: agent.memberId },
        changes: [
          { field: 'opted_out', from: false, to: true },
          { field: 'source', from: null, to: 'member' },
        ],
      },
    ]);
    const { text } = await agent.get(page);
    expect(text).toContain('somebody of the team noted it');
    expect([text.includes('value="opt_out"'), text.includes('value="opt_in"')]).toEqual([
      false,
      true,
    ]);
  });

  it('is noted by nobody who may not write, and changes nothing of what the person said meanwhile', async () => {
    const { id } = await aContact(scene.ctx);
    const page = `${scene.base}/contacts/${id}`;
    const { viewer, agent } = scene.people;

    const refused = await viewer.send(page, 'opt_out');
    const before = await wish(id);
    await transact(scene.ctx, (tx) => optOut(tx, id, { source: 'message', messageId: null }));
    const noted = await agent.send(page, 'opt_out');

    expect([refused.status, (await viewer.get(page)).text.includes('value="opt_out"')]).toEqual([
      403,
      false,
    ]);
    expect(before).toEqual([false, null]);
    expect([noted.status, await wish(id)]).toEqual([303, [true, 'message']]);
  });
});

describe('an opt-out, on the page of the contact,', () => {
  it('is taken back by a member who writes down why, once for a double click', async () => {
    const { id, page } = await optedOut();
    const { agent } = scene.people;
    const sent = { ...formIn((await agent.get(page)).text, 'opt_in'), reason: REASON };

    const both = await Promise.all([agent.post(page, sent), agent.post(page, sent)]);

    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect(await isOut(id)).toBe(false);
    expect(await optIns(id)).toMatchObject([
      {
        actor: { type: 'member', id: agent.memberId },
        changes: expect.arrayContaining([{ field: 'reason', from: null, to: REASON }]),
      },
    ]);
    const after = (await agent.get(page)).text;
    expect([after.includes('role="status"'), after.includes('value="opt_in"')]).toEqual([
      true,
      false,
    ]);
  });

  it('stays when the person said so again after the page was opened', async () => {
    const { id, page } = await optedOut();
    const { agent } = scene.people;
    const shown = filledIn((await agent.get(page)).text, 'opt_in');
    const later = new Date(scene.ctx.now.getTime() + 1_000);
    await transact(scene.ctx, (tx) =>
      optOut(tx, id, { source: 'whatsapp', messageId: null, at: later }),
    );

    const { status, text } = await agent.send(page, 'opt_in', { ...shown, reason: REASON });

    expect([status, await isOut(id)]).toEqual([409, true]);
    const anew = { ...filledIn(text, 'opt_in'), reason: REASON };
    expect((await agent.send(page, 'opt_in', anew)).status).toBe(303);
  });

  it('stays when the person says so again just then', async () => {
    const { id, page } = await optedOut();
    const { agent } = scene.people;
    const shown = filledIn((await agent.get(page)).text, 'opt_in');
    const later = new Date(scene.ctx.now.getTime() + 1_000);

    const { reply } = await transact(scene.ctx, async (tx) => {
      await optOut(tx, id, { source: 'whatsapp', messageId: null, at: later });
      const reply = agent.send(page, 'opt_in', { ...shown, reason: REASON });
      await untilWaiting(scene.database.app);
      return { reply };
    });

    expect([(await reply).status, await isOut(id)]).toEqual([409, true]);
  });

  it('stays without a reason, which the page asks for beside its field and keeps all else', async () => {
    const { id, page } = await optedOut();

    const { agent } = scene.people;
    const shown = filledIn((await agent.get(page)).text, 'opt_in');
    const { status, text } = await agent.send(page, 'opt_in', { ...shown, reason: ' ' });
    const long = await agent.send(page, 'opt_in', { ...shown, reason: '<'.repeat(501) });

    expect([status, await isOut(id)]).toEqual([422, true]);
    expect(text).toContain('<a href="#f-reason">');
    expect(text).toMatch(/<details class="disclosure" open>.*aria-invalid="true"/s);
    expect(text).toContain('name="name" type="text" value="Ana Souza"');
    expect(text).toContain('name="shown_notes" value="Gosta de café"');
    expect([long.status, long.text.includes('&lt;&lt;</textarea>')]).toEqual([422, true]);
    expect(await optIns(id)).toEqual([]);
  });

  it('is offered to nobody who may not write, and of nobody who gets messages', async () => {
    const { id, page } = await optedOut();
    const { viewer, agent } = scene.people;
    const other = await aContact(scene.ctx);

    const shown = (await viewer.get(page)).text;
    const refused = await viewer.send(page, 'opt_in', { reason: REASON });
    const { text } = await agent.get(`${scene.base}/contacts/${other.id}`);

    expect([shown.includes('value="opt_in"'), text.includes('value="opt_in"')]).toEqual([
      false,
      false,
    ]);
    expect([refused.status, await isOut(id)]).toEqual([403, true]);
  });
});
