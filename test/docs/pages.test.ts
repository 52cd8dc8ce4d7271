import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { docsMounts } from '../../src/docs/mounts.ts';
import { ERROR_STATUS } from '../../src/errors.ts';
import { errorGuide } from '../../src/http/error-guide/guide.ts';
import { openApiMount } from '../../src/http/openapi/document.ts';
import { aCredential } from '../support/credentials.ts';
import { documentedPath, everyRoute } from '../support/every-route.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';

const BASE = 'http://api.test';
const codes = Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[];

let door: OpenDoor;

beforeAll(async () => {
  const mounts = [openApiMount(everyRoute, BASE), ...docsMounts(everyRoute, BASE)];
  door = await openDoor({ routes: everyRoute, baseUrl: BASE, mounts });
});
afterAll(() => door.close());

const get = (path: string): Promise<Reply> => door.api.call('GET', path);

/** Every page that can be reached from the first one. */
async function wholeSite(): Promise<Map<string, Reply>> {
  const pages = new Map<string, Reply>();
  const waiting = ['/docs'];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    if (pages.has(path)) continue;
    const page = await get(path);
    pages.set(path, page);
    waiting.push(
      ...addressesIn(page.text).map((address) => new URL(address, BASE + path).pathname),
    );
  }
  return pages;
}

/** Every address that a page leads to or loads. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address = '']) => address);

const withoutMarkup = (text: string): string => text.replace(/<[^>]*>/g, ' ');

describe('the documentation', () => {
  it('leads only to pages and places that exist, all of them on this service', async () => {
    const pages = await wholeSite();

    const addresses = [...pages].flatMap(([path, { text }]) =>
      addressesIn(text).map((address) => new URL(address, BASE + path)),
    );
    const lost = addresses.filter(
      ({ pathname, hash }) => hash && !pages.get(pathname)?.text.includes(`id="${hash.slice(1)}"`),
    );

    expect([...pages].filter(([, { status }]) => status !== 200)).toEqual([]);
    expect(addresses.filter(({ origin }) => origin !== BASE)).toEqual([]);
    expect(lost.map(({ href }) => href)).toEqual([]);
    expect(pages.size).toBeGreaterThan(codes.length);
  });

  it('allows, where nothing is verified, no script, no frame and nothing from elsewhere', async () => {
    const { headers, text } = await get('/docs/contacts');

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<script|<img|<iframe|style="/);
  });

  it('verifies deliveries on a page that runs only files of the service itself', async () => {
    const { headers, text } = await get('/docs/verify-webhook');
    const [, script = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(text) ?? [];
    const types = await Promise.all(
      [script, '/docs/verifying/judging.ts'].map(async (path) => (await get(path)).headers),
    );

    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'",
    );
    for (const each of types)
      expect(each.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(text).not.toMatch(/ (?:action|name|style|on[a-z]+)="(?!viewport|color-scheme)/);
    expect(text.match(/<script/g)).toHaveLength(1);
  });

  it('shows what was created as the answer, and says what 200 means beside it', async () => {
    const { text } = await get('/docs/messages');
    const [, sending = ''] = text.split('id="send_message"');
    const [operation = ''] = sending.split('</section>');

    expect(operation).toContain('<h3>Answer 201</h3>');
    expect(operation).not.toContain('<h3>Answer 200</h3>');
    expect(withoutMarkup(operation).replace(/\s+/g, ' ')).toContain(
      'Answer 200 : The message that has this client_ref already; nothing more is sent.',
    );
  });

  it('sends in its examples a file of the kind that the operation takes', async () => {
    const pages = ['/docs/contacts', '/docs/media'];
    const all = await Promise.all(pages.map(async (page) => (await get(page)).text));

    const files = [...all.join('').matchAll(/-F &quot;file=@([^&]+)&quot;/g)].map(
      ([, file]) => file,
    );
    expect(files.toSorted()).toEqual(['bolo.jpg', 'clientes.csv']);
  });

  it('describes every operation with its address, scope, fields, example and errors', async () => {
    const overview = (await get('/docs')).text;
    for (const route of everyRoute) {
      const page = await get(`/docs/${route.tag.toLowerCase().replaceAll(' ', '-')}`);
      const [, after = ''] = page.text.split(`id="${route.operationId}"`);
      const section = after.split('</section>')[0] ?? '';
      const path = documentedPath(route);

      expect(overview).toContain(`#${route.operationId}"`);
      expect(section).toContain(`<code>${path}</code>`);
      expect(section).toContain(`<code>${route.scope}</code>`);
      expect(section).toContain('Authorization: Bearer');
      expect(section).toContain('/docs/errors/unauthorized');
    }
  });

  it('shows what each webhook carries', async () => {
    const { text } = await get('/docs/events');

    for (const type of ['message.received', 'conversation.closed', 'automation.failed'])
      expect(text).toContain(`<code>${type}</code>`);
    expect(text).toContain('webhook-timestamp');
  });

  it('has the guide to the definitions of automations', async () => {
    const { text } = await get('/docs/writing-automations');
    expect(text).toContain('<h2 id="steps">Steps</h2>');
    expect(text).toContain('{{first_name|tudo bem}}');
    expect(text.replace(/<(pre|code)>.*?<\/\1>/gs, '')).not.toMatch(/\]\(|<p>\||\*\*/);
  });

  it.each([
    ['building-apps', '<h2 id="ask-the-person">Ask the person</h2>', 'code_challenge_method=S256'],
    ['connecting-agents', '<h2 id="call-a-tool">Call a tool</h2>', '<code>send_campaign</code>'],
    ['connecting-agents', '<h2 id="tools">Tools</h2>', '<a href="/docs/writing-automations">'],
  ])('has the guide %s', async (name, heading, said) => {
    const { text } = await get(`/docs/${name}`);
    expect(text).toContain(heading);
    expect(text).toContain(said);
    expect(text.replace(/<(pre|code)[^>]*>.*?<\/\1>/gs, '')).not.toMatch(/\]\(|<p>\||\*\*|```/);
  });

  it('has the guide to receiving them, with each verifier to copy as it lies in docs/verify', async () => {
    const { text } = await get('/docs/receiving-webhooks');
    const shown = text
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');

    const folder = new URL('../../docs/verify/', import.meta.url);
    const files = fs.readdirSync(folder);
    expect(files).toHaveLength(5);
    for (const file of files)
      expect(shown).toContain(fs.readFileSync(new URL(file, folder), 'utf8'));
    expect(text).toContain('<h2 id="when-verification-fails">When verification fails</h2>');
    expect(text.replace(/<pre.*?<\/pre>/gs, '')).not.toMatch(/\]\(|<p>\||\*\*/);
  });

  it('answers a page that is not there as a page, and refuses to be written to', async () => {
    const missing = await get('/docs/nothing');
    const written = await door.api.call('POST', '/docs', { body: {} });

    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(missing.text).toContain('<h1>No such page.</h1>');
    expect(written.status).toBe(405);
  });

  it('tells language models where everything is', async () => {
    const { text, headers } = await get('/llms.txt');

    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# Workspace Messaging\n\n> /);
    for (const { operationId } of everyRoute) expect(text).toContain(`#${operationId})`);
  });

  it('gives language models addresses at which the operations answer', async () => {
    const { key } = await aCredential(door.database, { scopes: ['contacts:read'] });
    const { text } = await get('/llms.txt');
    const [, base = ''] = /The base address is (\S+),/.exec(text) ?? [];
    const [, path = ''] = /\[GET (\S+)\]\(\S+#list_contacts\)/.exec(text) ?? [];

    const { status } = await door.api.call('GET', new URL(base + path).pathname, { key });
    expect(status).toBe(200);
  });
});

describe('the page of an error', () => {
  it.each(codes)('says of %s what it means, when it comes and what to do', async (code) => {
    const { status, text } = await get(`/docs/errors/${code}`);
    const { meaning, when, remedy } = errorGuide[code];
    const page = withoutMarkup(text);

    expect(status).toBe(200);
    expect(page).toContain(String(ERROR_STATUS[code]));
    for (const sentence of [meaning, when, remedy]) expect(sentence).toMatch(/^[A-Z`].{15,}\.$/);
    expect(new Set([meaning, when, remedy]).size).toBe(3);
    expect(page).toContain(`${BASE}/docs/errors/${code}`);
  });

  it('is where the doc_url of a refusal leads', async () => {
    const refused = await get('/api/v1/contacts');
    const opened = await get(new URL(refused.body.error.doc_url).pathname);

    expect(opened.text).toContain('<h1><code>unauthorized</code></h1>');
  });

  it('shows a body as the service really answers it', async () => {
    const { key } = await aCredential(door.database);
    const { key: reader } = await aCredential(door.database, { scopes: ['contacts:read'] });
    const call = (path: string, body: unknown, headers = {}, as = key) =>
      door.api.call('POST', `/api/v1${path}`, { key: as, body, headers });
    const answers = [
      await get('/api/v1/contacts'),
      await door.api.call('GET', '/api/v1/contacts?limit=many', { key }),
      await door.api.call('GET', '/api/v1/contacts?cursor=x', { key }),
      await door.api.call('GET', '/api/v1/contacts/con_01KAH8Y3V8Q2M4N6P8R0S2T4V6', { key }),
      await door.api.call('DELETE', '/api/v1/contacts', { key }),
      await call('/contacts', { name: 'Ana' }, { 'idempotency-key': '"x"' }),
      await call('/contacts', { name: 'Ana' }, {}, reader),
      await call('/contacts', 'name=Ana', { 'content-type': 'text/plain' }),
    ];

    for (const { body, status } of answers) {
      const code = body.error.code as keyof typeof errorGuide;
      const { message, details } = errorGuide[code];
      expect([
        code,
        body.error.message,
        body.error.details && Object.keys(body.error.details),
      ]).toEqual([code, message, details && Object.keys(details)]);
      expect(status).toBe(ERROR_STATUS[code]);
    }
  });
});
