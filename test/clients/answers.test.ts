import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import { ConnectionFailed } from '../../clients/typescript/src/index.ts';
import { answer, created, hangUp, misbehaving, stop } from './support/misbehaving.ts';

afterEach(stop);

const ana = { body: { name: 'Ana' } };

it('says by which key a call that failed is repeated', async () => {
  const { api, seen } = await misbehaving(hangUp, hangUp, hangUp, hangUp, created);
  const failed = await api.createContact(ana).catch((error: ConnectionFailed) => error);
  const key = failed instanceof ConnectionFailed ? (failed.idempotencyKey ?? '') : '';

  await api.createContact({ ...ana, headers: { 'Idempotency-Key': key } });

  expect([...new Set(seen.map((one) => one.key))]).toEqual([key]);
  stop();
  const refused = await misbehaving(answer(422, { error: { code: 'validation' } }));
  await expect(refused.api.createContact(ana)).rejects.toMatchObject({
    idempotencyKey: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  await expect(refused.api.listContacts()).rejects.toMatchObject({ idempotencyKey: null });
});

it('says whether a refusal is the answer to an earlier call with the same key', async () => {
  const said = { error: { code: 'quota' } };
  const { api } = await misbehaving(
    answer(409, said),
    answer(409, said, { 'idempotent-replayed': 'true' }),
  );

  await expect(api.createContact(ana)).rejects.toMatchObject({ replayed: false });
  await expect(api.createContact(ana)).rejects.toMatchObject({ replayed: true });
});

it.each(['text/plain', 'application/json', 'model/3mf'])(
  'leaves a file of %s as it is',
  async (type) => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xe9]);
    const { api } = await misbehaving((res) => {
      res.writeHead(200, { 'content-type': type });
      res.end(bytes);
    });

    const file = await api.downloadMedia({ path: { id: 'med_1' } });

    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  },
);

it('brings a file as whoever asks for it wants it', async () => {
  const { api } = await misbehaving(answer(200, 'a\nb', { 'content-type': 'text/plain' }));

  const file: unknown = await api.downloadMedia({ path: { id: 'med_1' }, parseAs: 'stream' });

  if (!(file instanceof ReadableStream)) throw new TypeError('a stream');
  expect(await text(file)).toBe('a\nb');
});
