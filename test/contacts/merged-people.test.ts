import { describe, expect, it } from '@jest/globals';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { retryCampaign } from '../../src/campaigns/states/retrying.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { statementsWaiting } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { openLife } from './support/life.ts';

const life = opened(openLife);

const listing = (ctx: Context, id: string) =>
  aCampaign(ctx, { number_id: life.numberId, contact_ids: [id] });
const merge = (id: string, contact_id: string) => life.call('POST', `/${id}/merge`, { contact_id });

let phones = 0;
const aPhone = (): string => `+5511982${String(100_000 + ++phones)}`;

describe('merging people whom campaigns are for', () => {
  it.each(['sending', 'sent', 'unconfirmed'])(
    'skips the one who waits where the one who goes is %s already',
    async (status) => {
      const stays = await life.aPerson('Edna', aPhone());
      const goes = await life.aPerson('Edna', aPhone());
      await life.rows(
        'update campaign_recipients set campaign_id = $1, status = $3 where campaign_id = $2',
        [stays.campaign, goes.campaign, status],
      );

      await merge(stays.id, goes.id);

      const recipients = await life.rows(
        'select status, contact_id from campaign_recipients where campaign_id = $1 order by status',
        [stays.campaign],
      );
      expect(recipients).toEqual(
        ['skipped', status].toSorted().map((each) => ({ status: each, contact_id: stays.id })),
      );
    },
  );

  it('takes along every recipient, whatever became of it and under whichever phone', async () => {
    const stays = await aContact(life.ctx, { phone: aPhone() });
    const goes = await life.aPerson('Edgar', aPhone());
    await life.call('PATCH', `/${goes.id}`, { phone: aPhone() });
    await life.rows(`update campaign_recipients set status = 'failed' where campaign_id = $1`, [
      goes.campaign,
    ]);

    await merge(stays.id, goes.id);

    const recipients = await life.rows(
      'select contact_id from campaign_recipients where campaign_id = $1',
      [goes.campaign],
    );
    expect(recipients).toEqual([{ contact_id: stays.id }]);
  });

  it('keeps the place of the one who goes in an audience that is being written down', async () => {
    const stays = await aContact(life.ctx, { phone: aPhone() });
    const goes = await life.aPerson('Egon', aPhone());
    await life.rows(`update campaigns set status = 'sending', started_at = now() where id = $1`, [
      goes.campaign,
    ]);

    await merge(stays.id, goes.id);

    expect(
      await life.rows('select contact_ids from campaigns where id = $1', [goes.campaign]),
    ).toEqual([{ contact_ids: [stays.id] }]);
  });

  it.each<[string, (tx: Context, goes: string) => Promise<{ id: string }>]>([
    ['created', listing],
    [
      'changed',
      async (tx, goes) => {
        const { id } = await listing(life.ctx, (await aContact(life.ctx)).id);
        return updateCampaign(tx, id, { contact_ids: [goes] });
      },
    ],
    [
      'retried',
      async (tx, goes) => {
        const { campaign } = await life.aPerson('Elton', aPhone());
        await life.rows(`update campaigns set status = 'done' where id = $1`, [campaign]);
        await life.rows(
          `update campaign_recipients set status = 'failed', contact_id = $2 where campaign_id = $1`,
          [campaign, goes],
        );
        return retryCampaign(tx, campaign, { statuses: ['failed'] });
      },
    ],
  ])('makes a campaign that is being %s one for whom they become', async (_, write) => {
    const stays = await aContact(life.ctx, { phone: aPhone() });
    const goes = await aContact(life.ctx, { phone: aPhone() });

    const { id, merged } = await transact(life.ctx, async (tx) => {
      const written = await write(tx, goes.id);
      let done = false;
      const merged = merge(stays.id, goes.id).finally(() => {
        done = true;
      });
      await eventually(async () => done || (await statementsWaiting(life.door.database.app)) > 0);
      return { id: written.id, merged };
    });

    expect((await merged).status).toBe(200);
    expect(await life.rows('select contact_ids from campaigns where id = $1', [id])).toEqual([
      { contact_ids: [stays.id] },
    ]);
  });

  it('keeps what waits to be sent in its turn, and calls off what is not for two any more', async () => {
    const stays = await life.aPerson('Elis', aPhone());
    const goes = await life.aPerson('Elis', aPhone());
    const turn = await life.rows<{ id: string }>(
      `insert into outgoing_messages (organization_id, message_id, number_id, conversation_id, created_at)
       select organization_id, id, number_id, conversation_id, now() from messages where id = $1 returning message_id as id`,
      [goes.message],
    );
    await life.rows(`update messages set status = 'queued' where id = $1`, [goes.message]);
    await life.rows(
      'update campaign_recipients set campaign_id = $1, message_id = $3 where campaign_id = $2',
      [stays.campaign, goes.campaign, goes.message],
    );

    await merge(stays.id, goes.id);

    expect(
      await life.rows('select message_id as id, conversation_id from outgoing_messages'),
    ).toEqual([{ id: turn[0]?.id, conversation_id: stays.conversation }]);
    expect(await life.rows('select status from messages where id = $1', [goes.message])).toEqual([
      { status: 'cancelled' },
    ]);
  });
});

describe('merging people who write to one number', () => {
  it('leaves the conversation with the member who answered either of them', async () => {
    const stays = await life.aPerson('Enzo', aPhone());
    const goes = await life.aPerson('Enzo', aPhone());
    await life.rows("update conversations set handled_by = 'none' where id = $1", [
      stays.conversation,
    ]);
    await life.rows("update conversations set handled_by = 'member' where id = $1", [
      goes.conversation,
    ]);

    await merge(stays.id, goes.id);

    expect(
      await life.rows('select handled_by as by from conversations where id = $1', [
        stays.conversation,
      ]),
    ).toEqual([{ by: 'member' }]);
  });
});

describe('merging people of whom one is about to start an automation', () => {
  it('starts it with the one that they become, in their conversation', async () => {
    const stays = await life.aPerson('Elke', aPhone());
    const goes = await life.aPerson('Elke', aPhone());
    await life.rows(
      `insert into automation_triggers (organization_id, id, automation_id, contact_id, conversation_id, trigger, created_at)
       values ($1, 'trg_1', 'atm_1', $2, $3, '{}', now())`,
      [life.ctx.organizationId, goes.id, goes.conversation],
    );

    await merge(stays.id, goes.id);

    expect(await life.rows('select contact_id, conversation_id from automation_triggers')).toEqual([
      { contact_id: stays.id, conversation_id: stays.conversation },
    ]);
  });
});

describe('a person of two phones', () => {
  it('keeps the second when the first changes', async () => {
    const first = aPhone();
    const second = aPhone();
    const { id } = await aContact(life.ctx, { phone: first });
    await merge(id, (await aContact(life.ctx, { phone: second })).id);

    await life.call('PATCH', `/${id}`, { phone: aPhone() });

    const taken = await life.call('POST', '', { phone: second });
    expect([taken.status, taken.body.error?.details]).toEqual([409, { contact_id: id }]);
    expect((await life.call('POST', '', { phone: first })).status).toBe(201);
  });
});

describe('merging the two people between whom a form could not decide', () => {
  it.each([true, false])(
    'leaves no submission in conflict with itself, its own person staying: %s',
    async (isOwnStaying) => {
      const own = await life.aPerson('Davi', aPhone());
      const other = await aContact(life.ctx, { email: 'davi@example.com' });
      await life.rows(
        `update form_submissions set outcome = 'contact_conflict', conflict_contact_id = $2
         where contact_id = $1`,
        [own.id, other.id],
      );
      const [stays, goes] = isOwnStaying ? [own, other] : [other, own];

      await merge(stays.id, goes.id);

      const submissions = await life.rows(
        `select contact_id, conflict_contact_id, outcome from form_submissions
         where contact_id = any($1)`,
        [[own.id, other.id]],
      );
      expect(submissions).toEqual([
        { contact_id: stays.id, conflict_contact_id: null, outcome: 'contact_conflict' },
      ]);
    },
  );

  it('names the survivor in the conflict of somebody else', async () => {
    const own = await life.aPerson('Davi', aPhone());
    const stays = await aContact(life.ctx, { phone: aPhone() });
    const goes = await aContact(life.ctx, { phone: aPhone() });
    await life.rows('update form_submissions set conflict_contact_id = $2 where contact_id = $1', [
      own.id,
      goes.id,
    ]);

    await merge(stays.id, goes.id);

    const submissions = await life.rows(
      'select conflict_contact_id from form_submissions where contact_id = $1',
      [own.id],
    );
    expect(submissions).toEqual([{ conflict_contact_id: stays.id }]);
  });
});
