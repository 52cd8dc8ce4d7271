import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenDoor } from '../../support/http.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor } from '../support/door.ts';

let door: OpenDoor;
let scene: CampaignScene;
let id: string;

beforeAll(async () => {
  door = await openCampaignDoor();
  scene = await aCampaignScene(door);
  id = await scene.created();
  await rowsOf(
    scene.ctx,
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status,
         reason, message_id, attempts, claimed_at, settled_at)
       select organization_id, $1, 'rcp_' || n, id, id, phone, 'Oi', ($2::text[])[n], ($3::text[])[n], ($4::text[])[n],
         n - 1, '2026-11-20T12:00Z', '2026-11-20T12:00:01Z'
       from (select *, row_number() over (order by id) as n from contacts) c`,
    [
      id,
      ['skipped', 'failed', 'read'],
      ['opted_out', 'no_whatsapp', null],
      [null, 'msg_1', 'msg_2'],
    ],
  );
});
afterAll(() => door.close());

const list = (query = '') => scene.call('GET', `/campaigns/${id}/recipients${query}`);
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
  body.data.map((row: { id: string }) => row.id);

describe('the recipients of a campaign', () => {
  it('are listed newest first, page by page, each with what became of it', async () => {
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);

    expect([...idsOf(first), ...idsOf(second)]).toEqual(['rcp_3', 'rcp_2', 'rcp_1']);
    expect(second.body.next_cursor).toBeNull();
    expect(first.body.data[1]).toEqual({
      id: 'rcp_2',
      contact_id: scene.contactIds[1],
      group_id: null,
      phone: expect.stringMatching(/^\+55/),
      status: 'failed',
      reason: 'no_whatsapp',
      message_id: 'msg_1',
      attempts: 1,
      claimed_at: '2026-11-20T12:00:00.000Z',
      settled_at: '2026-11-20T12:00:01.000Z',
    });
  });

  it('are filtered by status, of the nine there are', async () => {
    expect(idsOf(await list('?status=failed'))).toEqual(['rcp_2']);
    expect(idsOf(await list('?status=pending'))).toEqual([]);
    const strange = await list('?status=lost');
    expect(strange.body.error.details).toMatchObject([
      {
        path: 'status',
        allowed: [
          ...['pending', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped'],
          ...['unconfirmed', 'cancelled'],
        ],
      },
    ]);
  });
});
