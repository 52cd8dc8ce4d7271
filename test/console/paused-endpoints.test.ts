import { expect, it } from '@jest/globals';
import { sendTestEvent } from '../../src/webhooks/deliveries/testing.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const ORIGIN = 'http://127.0.0.1:9';

const scene = opened(() => aConsoleScene([ORIGIN]));

it('deliveries of a paused endpoint are said to wait until it is resumed, and none to be on its way', async () => {
  const { owner } = scene.people;
  const { id } = await anEndpoint(scene.ctx, `${ORIGIN}/hooks`, ['message.sent']);
  const place = `${scene.base}/webhooks/${id}`;
  const said = async (path: string, action: string) => {
    const done = await owner.send(path, action, { type: 'message.sent' });
    return (await owner.get(done.headers.get('location') ?? '')).text;
  };
  const failed = await sendTestEvent(scene.ctx, id, {});
  const fail = () =>
    rowsOf(
      scene.ctx,
      "update webhook_deliveries set status = 'failed', finished_at = now(), resent_at = null where id = $1",
      [failed.id],
    );
  const page = `${place}/deliveries/${failed.id}`;
  await fail();
  await owner.send(place, 'pause');

  expect(await said(place, 'test')).toContain('The example waits until the endpoint is resumed.');
  const resent = await said(page, 'resend');
  expect(resent).toContain('It waits until the endpoint is resumed.');
  expect(resent).toContain('hx-trigger="every 5s"');
  await fail();
  expect((await owner.get(page)).text).not.toContain('hx-trigger');
  expect(await said(place, 'resend_failing')).toContain('To be sent again once it is resumed: 1.');
});
