import { describe, expect, it } from '@jest/globals';
import { sendTestEvent } from '../../src/webhooks/deliveries/testing.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const ORIGIN = 'http://127.0.0.1:9';

const scene = opened(() => aConsoleScene([ORIGIN]));

const list = () => `${scene.base}/webhooks`;
const an = () => anEndpoint(scene.ctx, `${ORIGIN}/hooks`, ['message.sent']);
const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(scene.ctx, text, params);

describe('deliveries in the console', () => {
  it('are listed by status, and opened with the exact body', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const place = `${list()}/${id}`;
    await owner.send(place, 'test', { type: 'message.sent' });
    const [delivery] = await rows<{ id: string; body: string }>(
      `select d.id, e.body from webhook_deliveries d join events e on e.id = d.event_id and e.day = d.day
       where d.endpoint_id = $1`,
      [id],
    );

    expect((await owner.get(place)).text).toContain(`/deliveries/${delivery?.id}"`);
    expect((await owner.get(`${place}?status=failed`)).text).not.toContain('/deliveries/');
    const { status, text } = await owner.get(`${place}/deliveries/${delivery?.id}`);
    expect(status).toBe(200);
    expect(text).toContain((delivery?.body ?? '-').replaceAll('"', '&quot;'));
    expect(text.match(/<time datetime/g)).toHaveLength(12);
    // It is on its way.
    expect(text).not.toContain('value="resend"');
  });

  it('are found by the webhook-id of a request, as it is pasted', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const sought = await sendTestEvent(scene.ctx, id, {});
    await sendTestEvent(scene.ctx, id, {});
    const place = `${list()}/${id}`;
    const linksIn = async (event: string) => {
      const { text } = await owner.get(`${place}?event_id=${encodeURIComponent(event)}`);
      return [text, text.match(/(?<=\/deliveries\/)dlv_\w+/g)] as const;
    };

    const [found, links] = await linksIn(` ${sought.event_id} `);
    expect(links).toEqual([sought.id]);
    expect(found).toContain(`value="${sought.event_id}"`);
    expect(found).toContain('All deliveries');
    const [none, nothing] = await linksIn('order-17');
    expect(nothing).toBeNull();
    expect(none).toContain('Nothing of this event was sent here in the last 30 days.');
    expect((await linksIn('x'.repeat(101)))[0]).toContain('Nothing of this event');
  });

  it('that failed are sent again, one or all, and the page says how it stands', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push(await sendTestEvent(scene.ctx, id, {}));
    await rows(
      `update webhook_deliveries set status = case when id = $2 then 'succeeded' else 'failed' end,
         finished_at = now(), attempts = 1, duration_ms = 84 where endpoint_id = $1`,
      [id, made[0]?.id],
    );
    const place = `${list()}/${id}`;
    const before = await owner.get(place);
    expect(before.text).toContain('33.3%');
    expect(before.text).toContain('84 ms');

    const one = `${place}/deliveries/${made[1]?.id}`;
    expect((await owner.send(one, 'resend')).headers.get('location')).toBe(one);
    await owner.send(place, 'resend_failing');
    expect((await owner.get(place)).text).toContain('Sent again: 1.');
    const statuses = await rows(
      'select status from webhook_deliveries where endpoint_id = $1 order by id',
      [id],
    );
    expect(statuses).toEqual([
      { status: 'succeeded' },
      { status: 'pending' },
      { status: 'pending' },
    ]);
  });

  it('that ended otherwise than by an answer say how, in the list and on their page', async () => {
    const { owner } = scene.people;
    const { id } = await an();
    const { id: delivery } = await sendTestEvent(scene.ctx, id, {});
    await rows(
      `insert into webhook_attempts (organization_id, day, delivery_id, number, started_at, code, duration_ms, error)
       select organization_id, day, id, 1, now(), 503, 12, 'status' from webhook_deliveries where id = $1`,
      [delivery],
    );
    const set = (error: string) =>
      rows(
        `update webhook_deliveries set status = 'failed', finished_at = now(), attempts = 1, code = 503, error = $2
         where id = $1`,
        [delivery, error],
      );
    const place = `${list()}/${id}`;
    const pages = async () => [
      (await owner.get(place)).text,
      (await owner.get(`${place}/deliveries/${delivery}`)).text,
    ];

    await set('cancelled_by_operator');
    const [row, page] = await pages();
    expect(row).toContain('503, ended by our operators');
    expect(page).toContain('<dt>What happened</dt><dd>ended by our operators</dd>');
    await set('status');
    for (const text of await pages()) expect(text).not.toContain('<dt>What happened</dt>');
    expect((await pages())[0]).not.toContain('503, ');
  });
});
