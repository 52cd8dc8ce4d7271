import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { recognise, TAKEN_TYPES } from '../../src/media/kinds.ts';
import { mediaRoutes } from '../../src/media/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aFile } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() =>
  openApi({ routes: [...mediaRoutes({ uploadMbADay: 1_000 }), ...conversationRoutes] }),
);
const rows = <R>(sql: string, params: unknown[] = []) => rowsOf<R>(door.ctx, sql, params);

const MB = 1024 * 1024;
const JPEG = Buffer.from('ffd8ffe000104a46494600', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const WEBP = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8L'), Buffer.alloc(8)]);
const ANIMATED = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02'),
  Buffer.alloc(8),
]);
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0');
const filled = (head: Buffer, size: number): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(size, 1);
  head.copy(bytes);
  return bytes;
};

function send(bytes: Buffer, name = 'file', type = ''): Promise<Reply> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), name);
  return door.call('POST', '/media', form);
}

const outcome = ({ status, body }: Reply): string => `${status} ${body.error?.code ?? body.type}`;

describe('a file', () => {
  it('comes back byte by byte as an attachment', async () => {
    const bytes = Buffer.concat([JPEG, randomBytes(2.5 * MB)]);

    const kept = await send(bytes, 'bolo de cenoura.jpg', 'text/html');
    const detail = await door.call('GET', `/media/${kept.body.id}`);
    const content = await fetch(`${door.api.url}/api/v1/media/${kept.body.id}/content`, {
      headers: { authorization: `Bearer ${door.key}` },
    });

    expect(kept.body).toEqual({
      id: kept.body.id,
      type: 'image/jpeg',
      name: 'bolo de cenoura.jpg',
      size: bytes.length,
    });
    expect(detail.body).toMatchObject({ kind: 'image', state: 'kept' });
    expect(content.status).toBe(200);
    expect(content.headers.get('content-type')).toBe('image/jpeg');
    expect(content.headers.get('x-content-type-options')).toBe('nosniff');
    expect(content.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''bolo%20de%20cenoura.jpg",
    );
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    expect(hash(new Uint8Array(await content.arrayBuffer()))).toBe(hash(bytes));
  });

  it.each([
    ['', 'image/jpeg', 'jpg'],
    ['', 'audio/ogg; codecs=opus', 'ogg'],
    ['', 'audio/mpeg', 'mp3'],
    ['', 'text/plain', 'txt'],
    ['', 'text/csv', 'csv'],
    ['', 'application/zip', 'zip'],
    ['', 'application/msword', 'doc'],
    ['', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ['', 'application/octet-stream', 'bin'],
    ['', 'приложение/x', 'bin'],
    ['lista', 'application/pdf', null],
  ])('called %j, of the type %s, is kept under a name that opens', async (name, type, ending) => {
    const id = await aFile(door.ctx);
    await rows('update media set name = $2, type = $3 where id = $1', [id, name, type]);

    const { headers } = await fetch(`${door.api.url}/api/v1/media/${id}/content`, {
      headers: { authorization: `Bearer ${door.key}` },
    });

    const kept = ending === null ? name : `${id}.${ending}`;
    expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${kept}`);
  });

  it.each<[string, Buffer, string, string]>([
    ['an image of 5 MB', filled(JPEG, 5 * MB), '', '201 image/jpeg'],
    ['a larger one', filled(PNG, 5 * MB + 1), '', '413 payload_too_large'],
    ['a sticker of 100 KB', filled(WEBP, 100 * 1024), '', '201 image/webp'],
    ['a larger one', filled(WEBP, 100 * 1024 + 1), '', '413 payload_too_large'],
    ['an animated sticker of 500 KB', filled(ANIMATED, 500 * 1024), '', '201 image/webp'],
    ['a larger one', filled(ANIMATED, 500 * 1024 + 1), '', '413 payload_too_large'],
    ['a video of 16 MB', filled(MP4, 16 * MB), '', '201 video/mp4'],
    ['a larger one', filled(MP4, 16 * MB + 1), '', '413 payload_too_large'],
    ['a program', filled(Buffer.from('7f454c46', 'hex'), 64), '', '415 unsupported_media_type'],
    [
      'an archive',
      filled(Buffer.from('504b0304', 'hex'), 64),
      'a.zip',
      '415 unsupported_media_type',
    ],
    [
      'a document of an office',
      filled(Buffer.from('504b0304', 'hex'), 64),
      'pedido.docx',
      '201 application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    [
      'a table, as the text that it is',
      Buffer.from('nome,fone\nAna,1\n'),
      'a.csv',
      '201 text/plain',
    ],
    ['a page, as what it is', Buffer.from('<script>alert(1)</script>'), 'a.html', '201 text/plain'],
    ['nothing', Buffer.alloc(0), '', '422 validation'],
  ])('is judged by what it holds: %s', async (_, bytes, name, expected) => {
    expect(outcome(await send(bytes, name || 'file'))).toBe(expected);
  });

  it.each([
    ['25504446 2d312e37', 'application/pdf'],
    ['4f676753 00020000', 'audio/ogg'],
    ['49443303 00000000', 'audio/mpeg'],
    ['2321414d 520a0000', 'audio/amr'],
    ['00000018 66747970 4d344120', 'audio/mp4'],
    ['00000018 66747970 33677034', 'video/3gpp'],
    ['fff15080 00000000', 'audio/aac'],
    ['fffb9000 00000000', 'audio/mpeg'],
    ['fff39000 00000000', 'audio/mpeg'],
    ['fff95080 00000000', 'audio/aac'],
  ])('is recognised by its first bytes: %s is %s', (hex, type) => {
    const head = Buffer.from(hex.replaceAll(' ', ''), 'hex');

    expect(recognise(head, 'application/x-anything', 'file')?.type).toBe(type);
  });

  it.each<[string, string, string, string | undefined]>([
    ['504b0304', '', 'PEDIDO.DOCX', 'wordprocessingml.document'],
    ['504b0304', 'application/msword', 'pedido.doc', undefined],
    ['504b0304', PPTX, 'file', 'presentationml.presentation'],
    ['d0cf11e0a1b11ae1', '', 'pedido.doc', 'msword'],
    ['d0cf11e0a1b11ae1', '', 'pedido.docx', undefined],
  ])(
    'that begins with %s, declared as %j and called %s, is of an office: %s',
    (hex, declared, name, type) => {
      const known = recognise(Buffer.from(hex, 'hex'), declared, name);

      expect(known?.type.split(/\/|officedocument\./).at(-1)).toBe(type);
    },
  );

  it.each([
    ['which its head cuts within a letter', Buffer.from(`a${'é'.repeat(9)}`).subarray(0, 8), true],
    ['with lines and tabs', Buffer.from('a\tb\r\nc'), true],
    ['with a bell', Buffer.from('a\u0007'), false],
    ['in Latin-1', Buffer.from('pão', 'latin1'), false],
  ])('%s is text: %s', (_, head, isText) => {
    expect(recognise(head, '', 'a.txt') !== null).toBe(isText);
  });

  it('is offered to be chosen if it would be taken: tables are, and archives are not', () => {
    expect(TAKEN_TYPES).toContain('text/csv');
    expect(TAKEN_TYPES).not.toContain('application/zip');
  });

  it('of a person is seen by who sees the conversation, and has no bytes while it is coming', async () => {
    const numberId = (await aNumber(door.ctx)).id;
    const conversation = await aConversation(door.ctx, {
      numberId,
      contactId: (await aContact(door.ctx)).id,
    });
    const assigned = await aMember(door.ctx, { visibility: 'assigned' });
    const other = await aMember(door.ctx, { visibility: 'assigned' });
    await rows('update conversations set assigned_member_id = $2 where id = $1', [
      conversation,
      assigned.id,
    ]);
    const id = 'med_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D';
    await rows(
      `insert into media (organization_id, id, name, type, kind, size, sha256, state, conversation_id, created_at)
       values ($1, $2, '', 'image/jpeg', 'image', 0, '', 'coming', $3, now())`,
      [door.ctx.organizationId, id, conversation],
    );
    const get = (path: string, token: string): Promise<Reply> =>
      door.api.call('GET', `/api/v1/media/${id}${path}`, { key: token });

    expect((await get('', assigned.token)).status).toBe(200);
    expect((await get('', other.token)).status).toBe(404);
    expect(outcome(await get('/content', assigned.token))).toBe('409 invalid_state');
    expect((await get('/content', other.token)).status).toBe(404);
  });

  it.each([
    ['приложение/x', 'application/octet-stream'],
    ['text/plain\r\nSet-Cookie: a=b', 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
    ['image/svg+xml', 'image/svg+xml'],
  ])('of a person comes whatever type they name: %j as %s', async (type, answered) => {
    const id = await aFile(door.ctx);
    await rows('update media set type = $2 where id = $1', [id, type]);

    const content = await door.call('GET', `/media/${id}/content`);

    expect([content.status, content.headers.get('content-type')]).toEqual([200, answered]);
  });

  it('of a person is passed on by nobody who does not see its conversation', async () => {
    const numberId = (await aNumber(door.ctx)).id;
    const aTalk = async () =>
      aConversation(door.ctx, { numberId, contactId: (await aContact(door.ctx)).id });
    const hidden = await aTalk();
    const own = await aTalk();
    const { token, id: memberId } = await aMember(door.ctx, { visibility: 'assigned' });
    await rows('update conversations set assigned_member_id = $2 where id = $1', [own, memberId]);
    const file = 'med_01JD8Z3V9Q6W5X4Y3Z2A1B0C9E';
    await rows(
      `insert into media (organization_id, id, name, type, kind, size, sha256, conversation_id, created_at)
       values ($1, $2, 'rg.jpg', 'image/jpeg', 'image', 1, '', $3, now())`,
      [door.ctx.organizationId, file, hidden],
    );
    const forward = (as: string): Promise<Reply> =>
      door.api.call('POST', `/api/v1/conversations/${own}/messages`, {
        key: as,
        body: { media_id: file },
      });

    expect(outcome(await forward(token))).toBe('422 unknown_media');
    expect((await forward(door.key)).status).toBe(201);
  });
});
