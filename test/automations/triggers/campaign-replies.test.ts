import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);

/** A campaign that reached whoever has this phone so long ago, and an automation of its name that listens for replies. */
async function reached(name: string, from: string, ago: string): Promise<void> {
  const { id } = await aCampaign(scene.ctx, {
    number_id: scene.numberId,
    contact_ids: [(await aContact(scene.ctx)).id],
    name,
  });
  await scene.automation(name, { type: 'campaign_replied', campaign_ids: [id] });
  await scene.rows(
    `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, identity_key, phone, text, status, message_id, settled_at)
     select organization_id, $1, $2, id, id, phone, 'Oferta', 'delivered', $3, now() - $4::interval
     from contacts where phone = $5`,
    [newId('rcp'), id, newId('msg'), ago, `+${from}`],
  );
}

/** How many replies each of these campaigns has, and how many runs they started. */
async function replies(...names: string[]): Promise<object[]> {
  await scene.act();
  return scene.rows(
    `select c.name, count(r.replied_at)::int as replied,
       (select count(*)::int from automation_runs n join automations a on a.id = n.automation_id where a.name = c.name) as runs
     from campaigns c join campaign_recipients r on r.campaign_id = c.id
     where c.name = any ($1) group by c.name order by c.name`,
    [names],
  );
}

describe('what a person writes after campaigns', () => {
  it('replies to the one that reached them last, and to none that did a week ago or before', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'antes');
    await reached('semana passada', from, '8 days');
    await scene.writes(from, 'tarde demais');
    expect(await replies('semana passada')).toEqual([
      { name: 'semana passada', replied: 0, runs: 0 },
    ]);

    await reached('ontem', from, '1 day');
    await reached('três dias', from, '3 days');
    await scene.writes(from, 'quero!');
    await scene.writes(from, 'quero mesmo');

    expect(await replies('semana passada', 'três dias', 'ontem')).toEqual([
      { name: 'ontem', replied: 1, runs: 1 },
      { name: 'semana passada', replied: 0, runs: 0 },
      { name: 'três dias', replied: 0, runs: 0 },
    ]);
  });

  it('is no reply where they only take an earlier message back', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'antes');
    await reached('sem resposta', from, '1 day');

    await scene.writes(from, '', {
      type: 'revoke',
      revoke: { original_message_id: 'wamid.theirs' },
    });

    expect(await replies('sem resposta')).toEqual([{ name: 'sem resposta', replied: 0, runs: 0 }]);
  });
});
