import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { upload } from '../../src/http/route.ts';
import { aCredential } from '../support/credentials.ts';
import { openDoor, sendRaw } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const MAX_BYTES = 256 * 1024;
const keepFile = upload({
  path: '/v1/files',
  operationId: 'keepFile',
  summary: 'Keep a file',
  tag: 'Files',
  scope: 'contacts:write',
  body: z.strictObject({}),
  file: { maxBytes: MAX_BYTES },
  reply: z.strictObject({ size: z.int() }),
  status: 201,
  example: { response: { size: 1 } },
  handle: async (_, { file: { size } }) => ({ size }),
});

const door = opened(() => openDoor({ routes: [keepFile] }));

const part = (headers: string, body = ''): string => `--a\r\n${headers}\r\n\r\n${body}\r\n`;
const FIELD = 'Content-Disposition: form-data';
const NO_FIELD = 'Content-Type: text/plain';
const fields = Array.from({ length: 20_000 }, (_, n) => part(`${FIELD}; name="f${n}"`));

it.each([
  ['20,000 fields', fields.join(''), 'Send one file and at most 20 fields.'],
  ['20,000 other parts', part(NO_FIELD).repeat(20_000), 'Send one file and at most 20 fields.'],
  ['parts without a name', part(FIELD).repeat(2), 'A part of the form has no name.'],
  [
    'another part, larger than a file may be',
    part(NO_FIELD, 'x'.repeat(MAX_BYTES + 300 * 1024)),
    `The body is larger than ${MAX_BYTES} bytes.`,
  ],
])('A form of %s, which says nothing of its size before, is refused', async (_, parts, message) => {
  const { key } = await aCredential(door.database);
  const head = `POST /api/v1/files HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=a\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const body = `${parts}--a--\r\n`;
  const bytes = `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  expect(await sendRaw(door.api.port, bytes)).toContain(`"message":"${message}"`);
});

it('A file that is too large is refused, and ends no process, though its form ends within it', async () => {
  const { key } = await aCredential(door.database);
  const body = part(`${FIELD}; name="file"; filename="a"`, 'x'.repeat(MAX_BYTES + 300 * 1024));
  const head = `POST /api/v1/files HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: ${body.length}\r\n\r\n`;

  expect(await sendRaw(door.api.port, head + body)).toContain(
    `"message":"The body is larger than ${MAX_BYTES} bytes."`,
  );
});

it('A file that the disk does not take is refused at once, keeps nobody waiting, and takes no place', async () => {
  const { key } = await aCredential(door.database);
  const body = `${part(`${FIELD}; name="file"; filename="a"`, 'x'.repeat(MAX_BYTES))}--a--\r\n`;
  const head = `POST /api/v1/files HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { TMPDIR = tmpdir() } = process.env;
  process.env['TMPDIR'] = `${TMPDIR}/missing`;
  try {
    // More than one key may send at once.
    for (let n = 0; n < 5; n += 1)
      expect(await sendRaw(door.api.port, head + body)).toContain('HTTP/1.1 503 ');
  } finally {
    process.env['TMPDIR'] = TMPDIR;
  }
  expect(await sendRaw(door.api.port, head + body)).toContain('HTTP/1.1 201 ');
});
