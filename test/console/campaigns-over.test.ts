import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ROLES } from '../../src/access/roles.ts';
import { checkProof } from '../../src/campaigns/proof/file.ts';
import { readCampaign } from '../../src/campaigns/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const rowsOf = (organizationId: string, text: string, params: readonly unknown[]) =>
  inWorkspace(scene.database, organizationId, (sql) => sql.rows(text, params));

/** One got it, one did not, and of one nobody knows. */
async function over(status = 'done') {
  const people = await Promise.all(Array.from({ length: 3 }, () => aContact(scene.ctx)));
  const { id: numberId } = await aNumber(scene.ctx);
  const contactIds = people.map(({ id }) => id);
  const { id } = await aCampaign(scene.ctx, { number_id: numberId, contact_ids: contactIds });
  await rowsOf(
    scene.ctx.organizationId,
    `with ended as (
       update campaigns set status = $3, total = 3, excluded = '{}', started_at = now(), frozen_at = now(), finished_at = now()
       where organization_id = $1 and id = $2)
     insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status, reason, settled_at)
     select $1, $2, g.id, g.contact, g.contact, '+55119', 'Oi', g.status, g.reason, now()
     from unnest($4::text[], $5::text[], $6::text[], $7::text[]) g (id, contact, status, reason)`,
    [
      ...[scene.ctx.organizationId, id, status],
      contactIds.map(() => newId('rcp')),
      contactIds,
      ['delivered', 'failed', 'unconfirmed'],
      [null, 'no_whatsapp', null],
    ],
  );
  return {
    id,
    address: `${scene.base}/campaigns/${id}`,
    lost: contactIds[1],
    unknown: contactIds[2],
  };
}

describe('a campaign that is over', () => {
  it('shows whose outcome nobody knows, and who was left out and why, so that its figures add up', async () => {
    const { id, address } = await over();
    await rowsOf(
      scene.ctx.organizationId,
      `update campaigns set excluded = '{"opted_out":1}', total = 4 where id = $1`,
      [id],
    );

    const { text } = await scene.people.viewer.get(address);

    const shown = [...text.matchAll(/<dt>([^<]+)<\/dt><dd>(\d+)<\/dd>/g)].map((one) =>
      one.slice(1),
    );
    expect(shown).toEqual([
      ['Audience', '3'],
      ['Left', '0'],
      ['Sent', '1'],
      ['Delivered', '1'],
      ['Read', '0'],
      ['Failed', '1'],
      ['Not confirmed', '1'],
      ['Replied', '0'],
      ['Opted out', '0'],
      ['opted out', '1'],
    ]);
    expect(text).toContain('Who does not get it, and why');
  });

  it('is sent again, as a new draft, to those who are ticked', async () => {
    const { id, address, lost, unknown } = await over();
    const { owner, viewer } = scene.people;

    const { text } = await owner.get(address);
    const made = await owner.send(address, 'retry', { statuses: 'failed' });
    const draftId = made.headers.get('location')?.split('/').at(-1) ?? '';
    const draft = await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      readCampaign({ ...scene.ctx, sql, now: new Date() }, draftId),
    );

    // Nothing on it moves any more.
    expect(text).not.toContain('hx-get');
    expect(text).toMatch(/value="failed" checked/);
    expect(text).toMatch(/value="unconfirmed"(?! checked)/);
    expect(text).toContain('they may get it twice');
    expect(draft).toMatchObject({ status: 'draft', retry_of: id, contact_ids: [lost] });
    expect(draft.contact_ids).not.toContain(unknown);
    const first = `Sends again</dt><dd><a href="${address}">`;
    expect((await owner.get(`${scene.base}/campaigns/${draftId}`)).text).toContain(first);
    expect((await owner.get(`${scene.base}/campaigns/${draftId}/edit`)).text).toContain(
      `Sends again: <a href="${address}">`,
    );
    expect(text).not.toContain('Sends again');
    expect((await viewer.get(address)).text).not.toContain('value="retry"');
    expect((await viewer.send(address, 'retry', { statuses: 'failed' })).status).toBe(403);
    expect((await owner.send(address, 'retry', {})).status).toBe(422);
  });

  it.each([
    ['paused', true],
    ['cancelled', false],
  ])('that is %s instead can be sent again: %s', async (status, can) => {
    const { address } = await over(status);

    const { text } = await scene.people.owner.get(address);

    expect(text.includes('value="retry"')).toBe(can);
  });

  it('gives its proof as a file that verifies; one that goes on has none', async () => {
    const { address } = await over();
    const going = await over('paused');
    const { ctx: theirs } = await aWorkspace(scene.database);
    const contact_ids = [(await aContact(theirs)).id];
    const foreign = await aCampaign(theirs, { number_id: (await aNumber(theirs)).id, contact_ids });
    await rowsOf(theirs.organizationId, "update campaigns set status = 'done' where id = $1", [
      foreign.id,
    ]);
    const { viewer } = scene.people;

    const shown = await viewer.get(address);
    const file = await viewer.get(`${address}/proof.jsonl`);
    const checked = await checkProof(createInterface({ input: Readable.from([file.text]) }));

    expect(shown.text).toContain(`href="${address}/proof.jsonl"`);
    expect(file.headers.get('content-type')).toBe('application/jsonl');
    expect(checked).toMatchObject({
      problems: [],
      ending: { outcomes: { sent: 1, failed: 1, unconfirmed: 1 } },
    });
    expect((await viewer.get(going.address)).text).not.toContain('proof.jsonl');
    for (const id of [going.id, foreign.id])
      expect((await viewer.get(`${scene.base}/campaigns/${id}/proof.jsonl`)).status).toBe(404);
  });

  it('gives all phones as one file to Owner and Admin alone, and the log says so', async () => {
    const { address } = await over();
    const given = await Promise.all(
      ROLES.map(async (role) => {
        const page = await scene.people[role].get(`${address}/recipients`);
        const file = await scene.people[role].get(`${address}/recipients.csv`);
        return [role, page.text.includes('/recipients.csv"'), file.status];
      }),
    );

    expect(given).toEqual([
      ['owner', true, 200],
      ['admin', true, 200],
      ['agent', false, 403],
      ['viewer', false, 403],
    ]);
    const log = await scene.people.owner.get(`${scene.base}/audit`);
    expect(log.text.match(/Downloaded the recipients/g)).toHaveLength(2);
  });

  it('says while the sends that its cancellation met are being settled, and has a proof afterwards', async () => {
    const { id, address } = await over('cancelled');
    const become = (status: string) =>
      rowsOf(
        scene.ctx.organizationId,
        `update campaign_recipients set status = $2 where campaign_id = $1 and status in ('unconfirmed', 'sending')`,
        [id, status],
      );
    const { viewer } = scene.people;
    await become('sending');

    const settling = await viewer.get(address);
    const early = await viewer.get(`${address}/proof.jsonl`);
    await become('unconfirmed');
    const settled = await viewer.get(`${address}?seen=settling`);

    expect(settling.text).toContain(
      'The last sends are being settled. Its proof is here in a moment.',
    );
    expect(settling.text).toContain('seen=settling');
    expect(settling.text).not.toContain('proof.jsonl');
    expect(early.status).toBe(404);
    expect(settled.headers.get('hx-refresh')).toBe('true');
    expect(settled.text).toContain('proof.jsonl');
    expect(settled.text).not.toContain('being settled');
  });
});
