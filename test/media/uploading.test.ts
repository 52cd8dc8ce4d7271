import { expect, it } from '@jest/globals';
import type { UploadResult } from '../../src/gateway/port.ts';
import { createLog } from '../../src/log.ts';
import { createUploader } from '../../src/media/uploading.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aFile } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const database = opened(openOwnDatabase);
const log = createLog({ level: 'silent', format: 'json' });

const ready = {
  canSend: true,
  downSince: null,
  hasWindow: true,
  ceilingPerMinute: null,
  isFree: true,
  heldMs: 0,
  probing: false,
};

/** Uploads whose answers are held back; `asked` has the numbers and their tokens. */
function heldBack() {
  const asked: string[] = [];
  const { promise: answered, resolve: answer } = Promise.withResolvers<UploadResult>();
  const upload = createUploader({
    database,
    log,
    clock: { now: () => new Date(), skewMs: 0 },
    gateway: {
      upload: ({ id, accessToken }) => {
        asked.push(`${id} ${accessToken}`);
        return answered;
      },
    },
  });
  return { asked, answer, upload };
}

it('a file that several wait for is uploaded once for each number, and once for each of its tokens', async () => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const file = await aFile(ctx);
  const one = (await aNumber(ctx)).id;
  const other = (await aNumber(ctx)).id;
  const { asked, answer, upload } = heldBack();
  const by = (id: string, accessToken: string) =>
    upload(workspaceId, { ...ready, id, phoneNumberId: id, accessToken }, file);

  const all = [by(one, 'old'), by(one, 'old'), by(one, 'new'), by(other, 'new')];
  await eventually(async () => asked.length >= 3);
  answer({ kind: 'kept', providerId: '9' });

  expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(Array(4).fill('kept'));
  expect(asked.toSorted()).toEqual([`${one} new`, `${one} old`, `${other} new`]);
});

it('a file whose bytes are not here is not uploaded: it would be an empty one', async () => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const file = await aFile(ctx);
  const { id } = await aNumber(ctx);
  const { asked, upload } = heldBack();
  await rowsOf(ctx, "update media set state = 'lost' where id = $1", [file]);

  const number = { ...ready, id, phoneNumberId: id, accessToken: 'any' };
  const refused = await upload(workspaceId, number, file);

  expect(refused).toMatchObject({ kind: 'refused', reason: 'media_invalid' });
  expect(asked).toEqual([]);
});
