import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('a second rotation within the day is asked about the secret from before the first, which it ends', async () => {
  const { owner } = scene.people;
  const { id } = await anEndpoint(scene.ctx, 'http://127.0.0.1:9/hooks');
  const place = `${scene.base}/webhooks/${id}`;
  const page = async () => (await owner.get(place)).text;

  const before = await page();
  await owner.send(place, 'rotate');
  const within = await page();
  await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    sql.rows('update webhook_endpoints set previous_valid_until = now() where id = $1', [id]),
  );
  const after = await page();

  const ends = 'and may be the one that your server knows, stops at once.';
  expect([before, within, after].map((text) => text.includes(ends))).toEqual([false, true, false]);
});
