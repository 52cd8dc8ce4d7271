import { describe, expect, it } from '@jest/globals';
import { readPatch, updateAutomation } from '../../src/automations/service.ts';
import { proveCampaign } from '../../src/campaigns/proof/proving.ts';
import type { Context } from '../../src/context.ts';
import { requireContent } from '../../src/conversations/sending/checks.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newIdAt } from '../../src/ids.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
/** Six months before. */
const EDGE = new Date('2026-05-21T12:00:00.000Z');
const earlier = (at: Date, ms = 1): Date => new Date(at.getTime() - ms);
const AGES_AGO = new Date('2024-01-01T00:00:00.000Z');

const door = opened(() => openDoor({ routes: [] }));

const drop = (): Promise<void> =>
  runUpkeep({
    workflow: 'dropMessageHistory',
    history: 'drop-message-history',
    database: door.database,
    now: NOW,
  });

/** A workspace with one conversation, and what is in it. */
async function aPlace(plan: 'essencial' | 'profissional' | 'escala') {
  const { ctx } = await aWorkspace(door.database, { now: AGES_AGO, plan });
  const contactId = (await aContact(ctx)).id;
  const numberId = (await aNumber(ctx)).id;
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

  const message = async (at: Date, wish: { mediaId?: string; status?: string } = {}) => {
    const id = newIdAt('msg', at);
    await rows(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, status,
         source, media_id, created_at)
       values (wms.organization(), $1, $2, $3, $4, 'outbound', 'text', $5, 'api', $6, $7)`,
      [id, conversationId, numberId, contactId, wish.status ?? 'sent', wish.mediaId ?? null, at],
    );
    return id;
  };
  const file = async (at: Date): Promise<string> => {
    const id = newIdAt('med', at);
    await rows(
      `insert into media (organization_id, id, name, type, kind, size, sha256, created_at)
       values (wms.organization(), $1, 'a.png', 'image/png', 'image', 3, '', $2)`,
      [id, at],
    );
    await rows(`insert into media_chunks values (wms.organization(), $1, 0, 'abc')`, [id]);
    return id;
  };
  const kept = async (table: 'messages' | 'media' | 'media_chunks'): Promise<string[]> => {
    const column = table === 'media_chunks' ? 'media_id' : 'id';
    const found = await rows<{ id: string }>(`select ${column} as id from ${table} order by 1`);
    return found.map(({ id }) => id);
  };
  const campaign = async (finishedAt: Date | null, recipients: number): Promise<string> => {
    const id = newIdAt('cmp', AGES_AGO);
    await rows(
      `insert into campaigns (organization_id, id, name, status, number_id, target, text, created_by, total, created_at,
         frozen_at, finished_at)
       values (wms.organization(), $1, 'Oi', $2, $3, 'contacts', 'Oi {{first_name}}!', '{}', $4, $5, $5, $6)`,
      [id, finishedAt ? 'done' : 'paused', numberId, recipients, AGES_AGO, finishedAt],
    );
    await rows(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, phone, text, status, settled_at)
       select wms.organization(), $1, n, n, '+5511987654321', 'Oi Ana!', 'sent', $3 from unnest($2::text[]) n`,
      [id, Array.from({ length: recipients }, () => newIdAt('rcp', AGES_AGO)), AGES_AGO],
    );
    return id;
  };
  const words = (campaignId: string) =>
    rows<{ text: string; of: number }>(
      'select text, count(*)::int as of from campaign_recipients where campaign_id = $1 group by 1',
      [campaignId],
    );
  const proofOf = (campaignId: string) =>
    inWorkspace(door.database, ctx.organizationId, (sql) =>
      proveCampaign({ ...ctx, sql, now: NOW }, campaignId, { after: null, limit: 5_000 }),
    );
  return { ctx, contactId, rows, message, file, kept, campaign, words, proofOf };
}

const anAutomationWith = ({ organizationId }: Context, mediaId: string): Promise<unknown> =>
  inWorkspace(door.database, organizationId, (sql) =>
    sql.rows(
      `insert into automations (organization_id, id, name, draft, created_by, created_at, updated_at)
       values ($1, 'atm_1', 'Oi', $2, '{}', now(), now())`,
      [organizationId, JSON.stringify({ steps: [{ type: 'send_media', media_id: mediaId }] })],
    ),
  );

describe('the history of messages', () => {
  it('goes as far back as the plan says, and not a moment less', async () => {
    const short = await aPlace('essencial');
    const long = await aPlace('profissional');
    const endless = await aPlace('escala');
    const times = [AGES_AGO, earlier(EDGE), EDGE, NOW];
    const ids: string[][] = [];
    for (const place of [short, long, endless]) {
      const own = [];
      for (const at of times) own.push(await place.message(at));
      ids.push(own);
    }

    await drop();
    await drop();

    expect(await short.kept('messages')).toEqual(ids[0]?.slice(2));
    expect(await long.kept('messages')).toEqual(ids[1]?.slice(1));
    expect(await endless.kept('messages')).toEqual(ids[2]);
  });

  it('takes more than a page, and files with the last message that shows them', async () => {
    const place = await aPlace('essencial');
    const gone = await place.file(AGES_AGO);
    const shown = await place.file(AGES_AGO);
    const planned = await place.file(AGES_AGO);
    const fresh = await place.file(NOW);
    await place.message(AGES_AGO, { mediaId: gone });
    await place.message(AGES_AGO, { mediaId: shown });
    const last = await place.message(NOW, { mediaId: shown });
    await anAutomationWith(place.ctx, planned);
    const many = Array.from({ length: 1_100 }, () => newIdAt('msg', AGES_AGO));
    await place.rows(
      `insert into messages (organization_id, id, conversation_id, number_id, direction, type, status, source, created_at)
       select m.organization_id, n, m.conversation_id, m.number_id, 'inbound', 'text', 'received', 'contact', $3
       from messages m, unnest($2::text[]) n where m.id = $1`,
      [last, many, AGES_AGO],
    );

    await drop();

    expect(await place.kept('messages')).toEqual([last]);
    expect(await place.kept('media')).toEqual([shown, planned, fresh].sort());
    expect(await place.kept('media_chunks')).toEqual([shown, planned, fresh].sort());
  });

  it('ends after 30 days, whatever the plan, for a file that was uploaded and never used', async () => {
    const place = await aPlace('escala');
    const month = earlier(NOW, 30 * 86_400_000);
    const sent = await place.file(AGES_AGO);
    const planned = await place.file(AGES_AGO);
    const fresh = await place.file(month);
    const theirs = await place.file(AGES_AGO);
    for (let n = 0; n < 21; n += 1) await place.file(earlier(month));
    const message = await place.message(AGES_AGO, { mediaId: sent });
    await anAutomationWith(place.ctx, planned);
    await place.rows(
      `update media set conversation_id = (select conversation_id from messages limit 1) where id = $1`,
      [theirs],
    );

    await drop();

    expect(await place.kept('media')).toEqual([sent, planned, fresh, theirs].sort());
    expect(await place.kept('messages')).toEqual([message]);
  });

  it('keeps a file that is being sent at this moment', async () => {
    const place = await aPlace('escala');
    const [sent] = [await place.file(AGES_AGO), await place.file(AGES_AGO)];

    await transact(place.ctx, async (tx) => {
      // It stands idle for a whole workflow, which takes as long as the machine lets it.
      await tx.sql.rows('set local idle_in_transaction_session_timeout = 0');
      await requireContent(tx, { numberId: 'num_1' }, { media_id: sent });
      await drop();
    });

    expect(await place.kept('media')).toEqual([sent]);
  });

  it('keeps a file of what an automation does now, though its draft does so no more', async () => {
    const place = await aPlace('essencial');
    const sent = await place.file(AGES_AGO);
    await place.file(AGES_AGO);
    const end = { id: 'end', type: 'end' };
    const { id } = await anActiveAutomation(place.ctx, {
      steps: [{ id: 'photo', type: 'send_media', media_id: sent, next: 'end' }, end],
    });
    await updateAutomation(place.ctx, id, readPatch({ steps: [end] }), { trustedOrigins: [] });

    await drop();

    expect(await place.kept('media')).toEqual([sent]);
  });

  it('keeps the message by which somebody left, and what may still leave', async () => {
    const place = await aPlace('essencial');
    const evidence = await place.message(AGES_AGO);
    const queued = await place.message(AGES_AGO, { status: 'queued' });
    await place.message(AGES_AGO);
    await place.rows('update contacts set opt_out_message_id = $2 where id = $1', [
      place.contactId,
      evidence,
    ]);

    await drop();

    expect(await place.kept('messages')).toEqual([evidence, queued].sort());
  });

  it('takes what a campaign said to each, and leaves who they were and what became of them', async () => {
    const place = await aPlace('essencial');
    const over = await place.campaign(earlier(EDGE), 2_001);
    const recent = await place.campaign(EDGE, 2);
    const open = await place.campaign(null, 2);
    const before = await place.proofOf(over);

    await drop();

    expect(await place.words(over)).toEqual([{ text: '', of: 2_001 }]);
    expect(await place.words(recent)).toEqual([{ text: 'Oi Ana!', of: 2 }]);
    expect(await place.words(open)).toEqual([{ text: 'Oi Ana!', of: 2 }]);
    expect(await place.proofOf(over)).toEqual(before);
  });

  it('waits 30 days after a workspace has moved to a smaller plan', async () => {
    const place = await aPlace('escala');
    const id = await place.message(AGES_AGO);
    const daysAgo = (days: number) => ({ ...place.ctx, now: earlier(NOW, days * 86_400_000) });
    await setPlan(daysAgo(29), 'essencial');
    await drop();
    expect(await place.kept('messages')).toEqual([id]);

    await setPlan(daysAgo(29), 'escala');
    await setPlan(daysAgo(30), 'essencial');
    await drop();

    expect(await place.kept('messages')).toEqual([]);
  });
});
