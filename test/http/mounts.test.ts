import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/errors.ts';
import { readForm } from '../../src/http/body/form.ts';
import type { Mount } from '../../src/http/mount.ts';
import { pathTable } from '../../src/http/mount.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const LIMIT = 5_000;

const says =
  (text: string): Mount['handle'] =>
  (ctx) => {
    ctx.body = text;
  };
const saysParams: Mount['handle'] = (ctx) => {
  ctx.body = ctx.state.params;
};

const mounts: Mount[] = [
  { path: '/plain', handle: says('plain') },
  {
    path: '/rooms/:id',
    methods: ['GET', 'POST'],
    handle: async (ctx, next) => {
      if (ctx.method !== 'POST') return saysParams(ctx, next);
      ctx.body = { fields: [...(await readForm(ctx.req, LIMIT))] };
    },
    errorPage: ({ code }, { requestId, languages }) => ({
      html: `<!doctype html><title>${code}</title><p>${languages} ${requestId}</p>`,
      csp: "default-src 'none'; style-src 'self'",
    }),
  },
  { path: '/area/*', handle: saysParams },
  { path: '/area/exact', handle: says('exact') },
  {
    path: '/broken/:id',
    handle: () => {
      throw new AppError('conflict', 'No.');
    },
  },
  {
    path: '/unspeakable',
    handle: (ctx) => {
      ctx.state.answer = { status: 200, body: '', headers: { 'X-Name': 'имя' } };
    },
  },
];

const door = opened(() => openDoor({ routes: [], mounts }));

const post = (body: string | Uint8Array, headers: Record<string, string> = FORM) =>
  door.api.call('POST', '/rooms/1', { body, headers });

describe('an area beside the API', () => {
  it('is found by its exact path, by names for single segments, and by everything below it', async () => {
    const said = async (path: string) => (await door.api.call('GET', path)).text;

    expect(await said('/plain')).toBe('plain');
    expect(await said('/rooms/abc')).toBe('{"id":"abc"}');
    expect(await said('/area/')).toBe('{"rest":""}');
    expect(await said('/area/a/b')).toBe('{"rest":"a/b"}');
    expect(await said('/area/exact')).toBe('exact');
  });

  it.each(['/rooms', '/rooms/', '/rooms/a/b', '/Rooms/a', '/area', '/plain/', '/:id', '/xrooms/a'])(
    'has no second spelling: %s is not found',
    async (path) => {
      expect((await door.api.call('GET', path)).status).toBe(404);
    },
  );

  it('gives names as they were sent, and names of Object among them', () => {
    const at = pathTable(mounts);

    expect(at('/rooms/%2e%2e')?.params).toEqual({ id: '%2e%2e' });
    expect(at('/rooms/__proto__')?.params['id']).toBe('__proto__');
  });

  it('refuses methods it does not list, and answers HEAD where it answers GET', async () => {
    const refused = await door.api.call('DELETE', '/rooms/1');

    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, POST');
    expect((await door.api.call('HEAD', '/rooms/1')).status).toBe(200);
  });

  it('shows its own page for an error, under its own policy, whatever the browser accepts', async () => {
    const headers = { accept: 'application/problem+json, text/html', 'accept-language': 'pt-BR' };

    const page = await door.api.call('PUT', '/rooms/1', { headers });

    expect(page.status).toBe(405);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'",
    );
    expect(page.headers.get('allow')).toBe('GET, POST');
    expect(page.text).toContain('<title>method_not_allowed</title>');
    expect(page.text).toContain(`pt-BR ${page.headers.get('x-request-id')}`);
  });

  it("shows the API's JSON where it has no page", async () => {
    const answer = await door.api.call('GET', '/broken/1');

    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
  });

  it('is answered 500 in our own envelope where its answer cannot be written', async () => {
    const answer = await door.api.call('GET', '/unspeakable');

    expect([answer.status, answer.body.error?.code]).toEqual([500, 'internal']);
    expect(answer.headers.get('x-name')).toBeNull();
    expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
  });

  it('refuses two mounts of one path', () => {
    expect(() => pathTable([...mounts, ...mounts.slice(0, 1)])).toThrow('twice');
  });
});

describe('the fields of an HTML form', () => {
  it('are read in their order, each with all its values', async () => {
    const { body } = await post('nome=Ana+L%C3%BAcia&cor=azul&cor=verde&vazio=&so&__proto__=x');

    expect(body.fields).toEqual([
      ['nome', ['Ana Lúcia']],
      ['cor', ['azul', 'verde']],
      ['vazio', ['']],
      ['so', ['']],
      ['__proto__', ['x']],
    ]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it.each([
    ['NUL', 'a=%00'],
    ['a broken escape', 'a=%zz'],
    ['half of a character', 'a=%ED%A0%80'],
    ['bytes that are no UTF-8', new Uint8Array([97, 61, 0xff])],
    ['more pairs than any form has', 'a&'.repeat(2_001)],
  ])('with %s are refused', async (_, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('are refused over the limit, in another format, and compressed', async () => {
    expect((await post('a='.padEnd(LIMIT + 1, 'x'))).status).toBe(413);
    expect((await post('a=1', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await post('a=1', { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(
      415,
    );
    expect((await post('a=1', { ...FORM, 'content-encoding': 'gzip' })).status).toBe(415);
  });
});
