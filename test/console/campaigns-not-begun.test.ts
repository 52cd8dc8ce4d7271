import { describe, expect, it } from '@jest/globals';
import { setPlan } from '../../src/workspaces/service.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { itIsNoon } from '../support/noon.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

/** The form that resumes a campaign paused with these values. */
async function resuming(values: string): Promise<string> {
  const { id: numberId } = await aNumber(scene.ctx);
  const people = await Promise.all(Array.from({ length: 2 }, () => aContact(scene.ctx)));
  const contactIds = people.map(({ id }) => id);
  const { id } = await aCampaign(scene.ctx, { number_id: numberId, contact_ids: contactIds });
  await rowsOf(scene.ctx, `update campaigns set status = 'paused', ${values} where id = $1`, [id]);
  const { text } = await scene.people.owner.get(`${scene.base}/campaigns/${id}`);
  const forms = text.split('<details').filter((one) => one.includes('value="resume"'));
  expect(forms).toHaveLength(1);
  return forms[0] ?? '';
}

describe('resuming a campaign', () => {
  it('that never began says to how many it goes, and is asked for as sending is', async () => {
    const form = await resuming(`pause_reason = 'missed_schedule'`);

    expect(form).toContain('It goes at once and for real to everybody whom it reaches now: 2.');
    expect(form).toContain('Sent messages cannot be taken back.');
    expect(form).toContain('class="danger"');
    expect(form).not.toContain('those who are left');
  });

  it('that began goes on with those who are left', async () => {
    const form = await resuming(`pause_reason = 'member', started_at = now()`);

    expect(form).toContain('It goes on with those who are left. Nobody gets it twice.');
    expect(form).not.toContain('class="danger"');
  });
});

it('the preview of one for which the plan has no room this month says so, in the reader’s language', async () => {
  await itIsNoon(scene.ctx);
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const input = { number_id: numberId, contact_ids: [contactId] };
  const earlier = await aCampaign(scene.ctx, input);
  const { id } = await aCampaign(scene.ctx, input);
  await setPlan(scene.ctx, 'essencial');
  await rowsOf(
    scene.ctx,
    `update campaigns set status = 'done', total = 3000, started_at = now(), frozen_at = now() where id = $1`,
    [earlier.id],
  );

  const address = `${scene.base}/campaigns/${id}/preview`;
  const { text: english } = await scene.people.owner.get(address);
  const { text: inPortuguese } = await scene.people.owner.get(address, {
    'accept-language': 'pt-BR',
  });

  expect(english).toContain('more recipients than the plan’s month has left');
  expect(inPortuguese).toContain('mais destinatários do que restam no mês do plano');
});
