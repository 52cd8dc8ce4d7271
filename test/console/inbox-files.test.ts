import { beforeEach, describe, expect, it } from '@jest/globals';
import { takeUploadPlace } from '../../src/http/file-places.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);
const MP3 = new Uint8Array([0x49, 0x44, 0x33, 1]);

const scene = opened(() => aConsoleScene());
let thread: string;

beforeEach(async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Bia' });
  thread = `${scene.base}/inbox/${await aConversation(scene.ctx, { numberId, contactId })}`;
});

interface Sent {
  readonly text?: string;
  /** Nothing was chosen, when left out. */
  readonly file?: readonly [name: string, bytes: Uint8Array<ArrayBuffer>];
  readonly by?: 'agent' | 'viewer';
  readonly lang?: string;
  readonly fields?: Fields;
}

/** The reply form as it was shown. */
async function shown(): Promise<Fields> {
  const { file: _, ...form } = formIn((await scene.people.agent.get(thread)).text, 'reply');
  return form;
}

/** As a browser sends it. */
async function send({ text = '', file, by = 'agent', lang = 'en', fields = {} }: Sent) {
  const body = new FormData();
  const form = { ...(await shown()), text, ...fields };
  for (const [name, value] of Object.entries(form)) body.append(name, `${value}`);
  const [name, bytes] = file ?? ['', new Uint8Array()];
  body.append('file', new Blob([bytes], { type: 'application/octet-stream' }), name);
  const reply = await fetch(scene.api.url + thread, {
    method: 'POST',
    redirect: 'manual',
    body,
    headers: { cookie: `wms_session=${scene.people[by].token}`, 'accept-language': lang },
  });
  const page = await reply.text();
  return {
    status: reply.status,
    page,
    wait: reply.headers.get('retry-after'),
    /** What stands beside the fields. */
    problem: (at: string) => new RegExp(`id="f-${at}-error">([^<]*)<`).exec(page)?.[1] ?? null,
    written: /<textarea[^>]*name="text"[^>]*>\n([^<]*)</.exec(page)?.[1] ?? null,
  };
}

/** What the conversation has been sent, and how many files there are in all. */
async function kept() {
  const id = thread.split('/').at(-1);
  return {
    messages: await rowsOf(
      scene.ctx,
      `select type, text, media_name as name from messages where conversation_id = '${id}'`,
    ),
    files: (await rowsOf(scene.ctx, 'select from media')).length,
  };
}

describe('a reply with a file', () => {
  it('goes out with what is written as its caption', async () => {
    const { status } = await send({ text: 'O bolo\r\nde hoje', file: ['bolo.png', PNG] });

    expect(status).toBe(303);
    const image = { type: 'image', text: 'O bolo\nde hoje', name: 'bolo.png' };
    expect((await kept()).messages).toEqual([image]);
    expect((await scene.people.agent.get(thread)).text).toMatch(/\/media\/med_\w+">Picture/);
  });

  it('goes out without a word', async () => {
    expect((await send({ file: ['voz.mp3', MP3] })).status).toBe(303);

    expect((await kept()).messages).toEqual([{ type: 'audio', text: '', name: 'voz.mp3' }]);
  });

  it('is one message and one file, however often the same form is sent', async () => {
    const before = await kept();
    const form: Sent = { file: ['bolo.png', PNG], fields: await shown() };

    const statuses = (await Promise.all([send(form), send(form)])).map(({ status }) => status);

    expect(statuses).toEqual([303, 303]);
    const { messages, files } = await kept();
    expect([messages.length, files - before.files]).toEqual([1, 1]);
  });
});

it('a reply in words alone goes out as before, and needs no place for a file', async () => {
  const { files } = await kept();

  const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => send({ text: `Oi ${n}` })));

  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(303));
  const after = await kept();
  expect([after.messages.length, after.files]).toEqual([6, files]);
});

describe('a reply that is refused', () => {
  const huge = new Uint8Array(5 * 1024 * 1024 + 1);
  huge.set(PNG);
  const beyond = new Uint8Array(101 * 1024 * 1024);
  const TAKEN =
    'Send a JPEG or PNG, MP4 or 3GP, AAC, AMR, MP3, M4A or OGG, WebP, PDF, Office document or plain text.';

  it.each<[string, Sent, 'text' | 'file', string]>([
    ['without anything in it', {}, 'text', 'Write a message, or choose a file.'],
    [
      'with a file of no kind',
      { text: 'Aqui está', file: ['a.zip', huge.slice(9)] },
      'file',
      TAKEN,
    ],
    [
      'with a picture that is too large',
      { text: 'Aqui está', file: ['a.png', huge] },
      'file',
      'A file of the kind image has at most 5 MB.',
    ],
    [
      'with a file beyond all',
      { text: 'Aqui está', file: ['a.mp4', beyond] },
      'file',
      'The file is too large.',
    ],
    [
      'with an empty file',
      { text: 'Aqui está', file: ['a.png', new Uint8Array()] },
      'file',
      'The file is empty.',
    ],
    [
      'with words that the kind does not take',
      { text: 'Ouça', file: ['voz.mp3', MP3] },
      'text',
      'A file of the kind audio has no caption.',
    ],
    [
      'with a caption that is too long',
      { text: 'x'.repeat(1_025), file: ['a.png', PNG] },
      'text',
      'A caption has at most 1024 characters.',
    ],
  ])('%s says so there, keeps what is written and no file', async (_, sent, at, sentence) => {
    const { files } = await kept();

    const { problem, written, page } = await send(sent);

    expect([problem(at), problem(at === 'text' ? 'file' : 'text')]).toEqual([sentence, null]);
    expect(written).toBe(sent.text ?? '');
    expect(page).toContain('A file that you had chosen is not kept: choose it again.');
    expect(await kept()).toEqual({ messages: [], files });
  });

  it('says so in Portuguese', async () => {
    const said = async (sent: Sent, at: string) =>
      (await send({ text: 'Oi', ...sent, lang: 'pt-BR' })).problem(at);

    expect(await said({ text: '' }, 'text')).toBe('Escreva uma mensagem, ou escolha um arquivo.');
    expect(await said({ file: ['a.png', huge] }, 'file')).toBe(
      'Um arquivo deste tipo tem no máximo 5 MB.',
    );
    expect(await said({ file: ['a.zip', huge.slice(9)] }, 'file')).toMatch(/^Envie um JPEG/);
    expect(await said({ file: ['voz.mp3', MP3] }, 'text')).toMatch(/deixe vazio/);
  });

  it.each([
    ['en', /^Too many files are on their way/],
    ['pt-BR', /^Há arquivos demais a caminho/],
  ])('because too many files are on their way keeps what is written (%s)', async (lang, said) => {
    const { organizationId } = scene.ctx;
    const placesOf = (credentialId: string) => takeUploadPlace({ credentialId, organizationId });
    const taken = Array.from({ length: 8 }, (_, n) => placesOf(`${n}`));

    const { status, written, problem, wait } = await send({
      text: 'Aqui está',
      lang,
      file: ['a.png', PNG],
    });
    for (const leave of taken) leave();

    expect([status, written, wait]).toEqual([429, 'Aqui está', expect.stringMatching(/^\d+$/)]);
    expect(problem('file')).toMatch(said);
    expect((await kept()).messages).toEqual([]);
  });

  it('because its page is too old keeps what is written', async () => {
    const { status, written } = await send({ text: 'Aqui está', fields: { _csrf: 'old' } });

    expect([status, written]).toEqual([403, 'Aqui está']);
  });

  it('is not read at all from whoever may not answer', async () => {
    expect((await send({ file: ['a.png', PNG], by: 'viewer' })).status).toBe(403);
    expect((await kept()).messages).toEqual([]);
  });
});
