import { expect, it } from '@jest/globals';
import { mediaRoutes } from '../../src/media/routes.ts';
import { openApi } from '../support/api.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const MB = 1024 * 1024;
const door = opened(() => openApi({ routes: mediaRoutes({ uploadMbADay: 3 }) }));

const send = (megabytes: number) => {
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(megabytes * MB, 'a')]), 'a.txt');
  return door.call('POST', '/media', form);
};

it('a workspace uploads so much within 24 hours and no more', async () => {
  const hours = (by: string) =>
    rowsOf(door.ctx, `update uploaded_hours set hour = hour - interval '${by}'`);
  expect((await send(2)).status).toBe(201);
  await hours('23 hours');
  expect((await send(1)).status).toBe(201);

  const refused = await send(1);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      error: {
        code: 'quota',
        message: 'A workspace may upload 3 MB within 24 hours; 3 MB are uploaded.',
        details: { limit: 3 * MB, used: 3 * MB, plan: expect.any(String), unit: 'bytes' },
      },
    },
  });
  expect(await rowsOf(door.ctx, 'select size from media order by size')).toHaveLength(2);
  await hours('3 hours');
  expect((await send(2)).status).toBe(201);
  expect((await send(1)).status).toBe(409);
});

it('a file that is larger than what is left is refused, after several of the same hour', async () => {
  await rowsOf(door.ctx, "update uploaded_hours set hour = hour - interval '3 days'");
  for (const megabytes of [1, 1]) expect((await send(megabytes)).status).toBe(201);

  const { status, body } = await send(2);

  expect([status, body.error.details.used]).toEqual([409, 2 * MB]);
});
