import { beforeEach, describe, expect, it } from '@jest/globals';
import { aCredential } from '../support/credentials.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openDoor({ routes: noteRoutes }));
let key: string;

// A key has 600 requests a minute; each test gets a fresh one.
beforeEach(async () => {
  ({ key } = await aCredential(door.database));
});

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  door.api.call('POST', '/api/v1/notes', { key, body, headers });

const outcome = ({ status, body }: Reply): [number, string] => [status, body?.error?.code];

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('a body that cannot be read', () => {
  it.each<[string, string | Buffer]>([
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['nothing but space', ' '],
    ['trailing garbage', '{"name":"a"} x'],
    ['a trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['NaN', '{"count":NaN}'],
    ['a byte order mark', Buffer.from('\uFEFF{"name":"a"}')],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['33 levels', nested(33)],
    ['1,000 levels', nested(1_000)],
    ['100,000 levels', nested(100_000)],
    ['100,000 levels of arrays', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    [
      '100,000 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i, 1]))),
    ],
    ['100,000 entries in one list', `{"a":[${'{},'.repeat(99_999)}{}]}`],
    ['a number beyond all numbers', '{"name":"a","count":1e400}'],
    ['NUL in a text', '{"name":"a\\u0000b"}'],
    ['NUL in a nested text', '{"name":"a","lines":[{"text":"\\u0000"}]}'],
    ['NUL in a key', '{"na\\u0000me":"a"}'],
    ['half a character', '{"name":"\\ud800"}'],
  ])('is refused: %s', async (_name, body) => {
    const reply = await post(body);

    expect(outcome(reply)).toEqual([400, 'bad_request']);
  });

  it('is refused when it is missing', async () => {
    expect(outcome(await door.api.call('POST', '/api/v1/notes', { key }))).toEqual([
      400,
      'bad_request',
    ]);
  });

  it('names the place of a character that cannot be stored', async () => {
    const reply = await post('{"name":"a","lines":[{"text":"x\\u0000"}]}');

    expect(reply.body.error.details).toEqual({ path: 'lines[0].text' });
  });

  it('costs no time that others would notice', async () => {
    await post({ name: 'warm' });
    const before = process.cpuUsage();

    await post(nested(100_000));

    // Of this process, which is the server too: what else the machine does is not counted.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });
});

describe('a body of another type', () => {
  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=utf-16'],
    [`application/json;${' a=b;'.repeat(2_000)}`],
    ['application/jsonp'],
    ['multipart/form-data; boundary=x'],
  ])('is not taken: %.40s', async (type) => {
    expect(outcome(await post('{"name":"a"}', { 'content-type': type }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
  });

  it.each(['gzip', 'br', 'deflate', 'gzip, identity'])('is not inflated: %s', async (encoding) => {
    const reply = await post('{"name":"a"}', { 'content-encoding': encoding });

    expect(outcome(reply)).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
  ])('is taken: %s', async (type) => {
    expect((await post({ name: type }, { 'content-type': type })).status).toBe(201);
  });
});

describe('a large body', () => {
  const padded = (bytes: number): string => `{"name":"${'a'.repeat(bytes - 11)}"}`;

  it('is read up to 1 MiB and refused one byte later', async () => {
    const [fits, over] = [await post(padded(1_048_576)), await post(padded(1_048_577))];

    expect(outcome(fits)).toEqual([422, 'validation']);
    expect(outcome(over)).toEqual([413, 'payload_too_large']);
  });

  it('is refused when its length is not said either', async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 40; i += 1)
          controller.enqueue(new TextEncoder().encode('a'.repeat(65_536)));
        controller.close();
      },
    });

    const response = await fetch(`${door.api.url}/api/v1/notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit);

    expect(response.status).toBe(413);
  });
});

describe('a body that does not fit its schema', () => {
  const problems = async (body: unknown): Promise<unknown> => {
    const reply = await post(body);
    expect(outcome(reply)).toEqual([422, 'validation']);
    return reply.body.error.details;
  };

  it('is answered with every place and rule at once', async () => {
    expect(
      await problems({
        name: '',
        kind: 'tall',
        lines: [{ text: '' }, { text: 5, bold: true }],
        count: -1,
        due: '2026-02-30',
      }),
    ).toEqual([
      { path: 'name', rule: 'min_length', limit: 1, message: 'Must not be empty.' },
      {
        path: 'kind',
        rule: 'enum',
        allowed: ['short', 'long'],
        message: 'Must be one of short, long.',
      },
      { path: 'lines[0].text', rule: 'min_length', limit: 1, message: 'Must not be empty.' },
      { path: 'lines[1].text', rule: 'type', message: 'Must be a string.' },
      { path: 'lines[1].bold', rule: 'unknown_field', message: 'There is no such field.' },
      { path: 'count', rule: 'min', limit: 0, message: 'Must be at least 0.' },
      { path: 'due', rule: 'format', message: 'Must be a valid date, as 2026-12-31.' },
    ]);
  });

  it('tells a missing field from one of a wrong type, and counts items', async () => {
    expect(await problems({})).toEqual([
      { path: 'name', rule: 'required', message: 'This field is required.' },
    ]);
    expect(await problems({ name: null })).toMatchObject([{ path: 'name', rule: 'type' }]);
    expect(await problems({ name: 'a', lines: Array(4).fill({ text: 'x' }) })).toEqual([
      { path: 'lines', rule: 'max_items', limit: 3, message: 'Must be at most 3 items.' },
    ]);
  });

  it.each(['1.5', '"5"', 'true', '9007199254740993', '-1'])(
    'takes no %s for a count',
    async (count) => {
      expect(await problems(`{"name":"a","count":${count}}`)).toMatchObject([{ path: 'count' }]);
    },
  );

  it.each([
    'organization_id',
    'id',
    'created_at',
    'status',
    'secret',
    'toString',
    'constructor',
    '__proto__',
  ])('takes no field it does not have: %s', async (field) => {
    expect(await problems(`{"name":"a","${field}":{"admin":true}}`)).toMatchObject([
      { path: field, rule: 'unknown_field', message: 'There is no such field.' },
    ]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('is answered briefly, however many mistakes it has', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`f${i}`, 1]));

    const told = (await problems({ name: 'a', ...many })) as { allowed?: string[] }[];

    expect(told).toHaveLength(50);
    expect(told.flatMap(({ allowed }) => (allowed ? [allowed] : []))).toEqual([
      ['name', 'kind', 'lines', 'count', 'due'],
    ]);
  });

  it('keeps every character it takes: emoji, right-to-left marks, combining ones', async () => {
    for (const name of [
      '👨‍👩‍👧',
      '\u202Eabc',
      `e${'\u0301'.repeat(50)}`,
      '%_\\',
      "';--",
      '=cmd|A1',
      '{{name}}',
    ]) {
      expect((await post({ name })).body.name).toBe(name);
    }
  });

  it('takes the last of two equal keys', async () => {
    expect((await post('{"name":"first","name":"last"}')).body.name).toBe('last');
  });
});

describe('an action whose body may be left out', () => {
  it('is done without a body, with an empty one, and not with an unknown field', async () => {
    const { body } = await post({ name: 'marked' });
    const mark = (options: { body?: unknown }): Promise<Reply> =>
      door.api.call('POST', `/api/v1/notes/${body.id}/mark`, { key, ...options });

    expect((await mark({})).status).toBe(200);
    expect((await mark({ body: {} })).status).toBe(200);
    expect(outcome(await mark({ body: { colour: 1 } }))).toEqual([422, 'validation']);
    expect(outcome(await door.api.call('PATCH', `/api/v1/notes/${body.id}`, { key }))).toEqual([
      400,
      'bad_request',
    ]);
  });
});
