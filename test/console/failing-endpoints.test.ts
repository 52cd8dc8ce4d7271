import { describe, expect, it } from '@jest/globals';
import { sendTestEvent } from '../../src/webhooks/deliveries/testing.ts';
import { holdBacklog } from '../../src/webhooks/lanes/backlog/backlog.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const ORIGIN = 'http://127.0.0.1:9';

const scene = opened(() => aConsoleScene([ORIGIN]));

const list = () => `${scene.base}/webhooks`;
const an = () => anEndpoint(scene.ctx, `${ORIGIN}/hooks`, ['message.sent']);
const rows = (text: string, params: unknown[]) => rowsOf(scene.ctx, text, params);

describe('an endpoint that gets nothing', () => {
  it.each([
    ['blocked', "status = 'blocked', finished_at = now()", 'its address leads nowhere'],
    ['does not answer', "status = 'retrying', error = 'timeout'", '(no answer within 10 seconds)'],
    [
      'does not answer',
      "status = 'failed', error = 'cancelled_by_operator', finished_at = now()",
      'does not answer. Its events',
    ],
    ['not signed', "status = 'retrying', error = 'internal'", 'Rotate its secret'],
    ['answers 401', "status = 'retrying', code = 401, error = 'status'", 'answers 401. Its events'],
  ])('is %s in the list, on its own page and on the first one', async (badge, how, why) => {
    const { owner } = scene.people;
    const { id } = await an();
    for (let n = 0; n < 6; n += 1) await sendTestEvent(scene.ctx, id, {});
    await rows(`update webhook_deliveries set attempts = 1, ${how} where endpoint_id = $1`, [id]);
    if (badge !== 'blocked')
      await rows('update webhook_endpoints set failures_in_row = 6 where id = $1', [id]);

    const said = `>${badge}</span>`;
    const rowInList = (text: string) => text.split('<tr').find((row) => row.includes(id)) ?? '';
    expect(rowInList((await owner.get(list())).text)).toContain(said);
    const own = (await owner.get(`${list()}/${id}`)).text;
    expect(own).toContain(said);
    expect(own).toContain(why);
    const first = (await owner.get(scene.base)).text
      .split('class="notice')
      .find((one) => one.includes(id));
    expect(first).toContain(why);
  });

  it.each(['suspended', 'removed'] as const)(
    'because whoever made it with a narrow sight is %s receives nothing, and every page says so',
    async (how) => {
      const { owner } = scene.people;
      const member = await aMember(scene.ctx, { role: 'admin', visibility: 'assigned' });
      const { id } = await an();
      await rows('update webhook_endpoints set member_id = $2 where id = $1', [id, member.id]);
      expect((await owner.get(list())).text).not.toContain('receives nothing');
      const place = `${scene.base}/members/${member.id}`;
      expect((await owner.get(place)).text).toContain(
        'Webhook endpoints that this person made: 1.',
      );

      await owner.send(place, how === 'removed' ? 'remove' : 'suspend');

      for (const path of [list(), `${list()}/${id}`, scene.base])
        expect((await owner.get(path)).text).toContain('receives nothing');
      await rows('update webhook_endpoints set deleted_at = now() where id = $1', [id]);
    },
  );

  it('goes on when whoever made it saw the whole workspace and leaves', async () => {
    const { owner } = scene.people;
    const member = await aMember(scene.ctx, { role: 'admin' });
    const { id } = await an();
    await rows('update webhook_endpoints set member_id = $2 where id = $1', [id, member.id]);
    const place = `${scene.base}/members/${member.id}`;
    expect((await owner.get(place)).text).not.toContain('Webhook endpoints that this person made');

    await owner.send(place, 'suspend');
    expect((await owner.get(list())).text).not.toContain('receives nothing');
    await owner.send(place, 'remove');
    expect((await owner.get(list())).text).not.toContain('receives nothing');
  });

  it('though only what an operator holds waits, says so, and can be resumed', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const place = `${list()}/${id}`;
    const { id: waiting } = await sendTestEvent(scene.ctx, id, {});
    await rows(
      "update webhook_deliveries set in_backlog = true, status = 'retrying', attempts = 1 where id = $1",
      [waiting],
    );
    await holdBacklog(scene.ctx, id);

    for (const path of [list(), place, scene.base])
      expect((await owner.get(path)).text).toContain('partly held');
    expect((await owner.get(place)).text).toContain('>Resume</button>');
    await owner.send(place, 'resume');

    const held = 'select backlog_held_at as "heldAt" from webhook_endpoints where id = $1';
    expect(await rows(held, [id])).toEqual([{ heldAt: null }]);
    expect((await owner.get(place)).text).not.toContain('partly held');
    expect((await owner.get(place)).text).not.toContain('>Resume</button>');
  });

  it('is active again as soon as a later delivery arrives', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const blocked = await sendTestEvent(scene.ctx, id, {});
    const arrived = await sendTestEvent(scene.ctx, id, {});
    const ends = 'update webhook_deliveries set status = $2, finished_at = now() where id = $1';
    await rows(ends, [blocked.id, 'blocked']);
    expect((await owner.get(`${list()}/${id}`)).text).toContain('leads nowhere');
    await rows(ends, [arrived.id, 'succeeded']);

    expect((await owner.get(`${list()}/${id}`)).text).not.toContain('leads nowhere');
    expect((await owner.get(scene.base)).text).not.toContain(id);
  });
});
