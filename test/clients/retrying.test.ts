import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConnectionFailed } from '../../clients/typescript/src/index.ts';
import { retrying } from '../../clients/typescript/src/retrying.ts';
import { eventually } from '../support/waiting.ts';
import {
  answer,
  type Behaviour,
  created,
  hangUp,
  limited,
  misbehaving,
  silence,
  stop,
} from './support/misbehaving.ts';

afterEach(stop);

const ana = { body: { name: 'Ana' } };

describe('the client, with a server that fails', () => {
  it.each([
    ['429', limited({ 'retry-after': '0' })],
    ['502', answer(502, '<html>')],
    ['503', answer(503, { error: { code: 'unavailable', message: 'Away.' } })],
    ['504', answer(504)],
    ['a lost connection', hangUp],
    ['silence', silence],
  ])('tries again after %s, with one key over all tries and the same body', async (_, failing) => {
    const { within, seen } = await misbehaving(failing, failing, created);

    expect(await within(failing === silence ? 4_000 : 20_000).createContact(ana)).toEqual({
      id: 'con_1',
    });

    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen[0]?.key).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(['{"name":"Ana"}']));
  });

  it('sends a file again whole, as it was sent first', async () => {
    const { baseUrl, seen } = await misbehaving(answer(503), answer(503), created);
    const form = new FormData();
    form.append('file', new Blob(['name,phone\nAna,+5511987654321\n']), 'people.csv');
    const send = retrying((request) => fetch(request), { firstWaitMs: 5 });

    const response = await send(new Request(baseUrl, { method: 'POST', body: form }));

    expect(response.status).toBe(201);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(seen[2]?.body).toContain('Ana,+5511987654321');
  });

  it('gives each call a key of its own, and a read none', async () => {
    const { api, seen } = await misbehaving(created);

    await api.createContact(ana);
    await api.createContact(ana);
    await api.listContacts();

    const [first, second, read] = seen.map(({ key }) => key);
    expect(first).not.toBe(second);
    expect(read).toBeUndefined();
  });

  it('never comes back before the time that Retry-After names, in seconds or as a date', async () => {
    const soon = new Date(Date.now() + 2_000).toUTCString();
    const { api, seen } = await misbehaving(
      limited({ 'retry-after': '1' }),
      limited({ 'retry-after': soon }),
      created,
    );

    await api.createContact(ana);

    const [first, second, third] = seen.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(999);
    expect(third).toBeGreaterThanOrEqual(Date.parse(soon) - 1);
  });

  it('waits for its own first try that is still running', async () => {
    const running = answer(
      409,
      { error: { code: 'idempotency_in_progress', message: 'Still running.' } },
      { 'retry-after': '0' },
    );
    const { api, seen } = await misbehaving(hangUp, running, created);

    expect(await api.createContact(ana)).toEqual({ id: 'con_1' });
    expect(seen).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 409, 422, 500])('tries %i once', async (status) => {
    const { api, seen } = await misbehaving(
      answer(status, { error: { code: 'brand_new', message: 'No.', request_id: 'req_1' } }),
    );

    await expect(api.createContact(ana)).rejects.toMatchObject({
      name: 'ApiError',
      status,
      code: 'brand_new',
      requestId: 'req_1',
    });
    expect(seen).toHaveLength(1);
  });

  it('gives up after its tries, with what went wrong last', async () => {
    const lost = await misbehaving(hangUp);
    await expect(lost.api.createContact(ana)).rejects.toBeInstanceOf(ConnectionFailed);
    expect(lost.seen).toHaveLength(4);
    stop();

    const proxy = await misbehaving(answer(502, '<html>', { 'x-request-id': 'p-1' }));
    await expect(proxy.api.listContacts()).rejects.toMatchObject({
      status: 502,
      code: 'unknown',
      requestId: 'p-1',
    });
  });

  it('gives files ten times as long, on their way out and in', async () => {
    const slowly = await misbehaving((res, req) => void setTimeout(() => created(res, req), 1_200));
    const body = { file: new Blob(['a,b']) };

    expect(await slowly.within(1_000).uploadMedia({ body })).toEqual({ id: 'con_1' });
    expect(slowly.seen).toHaveLength(1);
    stop();

    const dripping = await misbehaving((res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': '2' });
      res.write('a');
      setTimeout(() => res.end('b'), 1_200);
    });
    const file = await dripping.within(1_000).downloadMedia({ path: { id: 'med_1' } });
    expect(await file.text()).toBe('ab');
  });

  describe('when garbage is collected while it waits', () => {
    /** Half of an answer, and then nothing more. */
    const half =
      (type: string): Behaviour =>
      (res) => {
        setFlagsFromString('--expose-gc');
        const collect: () => void = runInNewContext('gc');
        for (const ms of [300, 1_000, 2_000]) setTimeout(collect, ms);
        res.writeHead(200, { 'content-type': type, 'content-length': '9' });
        res.write('{"id"');
      };

    it('asks again for an answer that breaks off', async () => {
      const { within, seen } = await misbehaving(half('application/json'), created);

      expect(await within(3_000).createContact(ana)).toEqual({ id: 'con_1' });
      expect(seen.length).toBeGreaterThan(1);
    });

    it('ends a file that never ends, with its time and with its caller', async () => {
      const { within } = await misbehaving(half('image/png'));
      const caller = new AbortController();
      const path = { id: 'med_1' };

      await expect(within(300).downloadMedia({ path })).rejects.toThrow('timeout');
      const file = within(30_000).downloadMedia({ path, signal: caller.signal });
      setTimeout(() => caller.abort(new Error('enough')), 2_000);
      await expect(file).rejects.toThrow('enough');
    });
  });

  it('stops at once when its caller does', async () => {
    const { api, seen } = await misbehaving(limited({ 'retry-after': '30' }));
    const caller = new AbortController();
    const started = Date.now();

    const asked = expect(api.createContact({ ...ana, signal: caller.signal })).rejects.toThrow(
      'enough',
    );
    await eventually(() => seen.length === 1);
    caller.abort(new Error('enough'));
    await asked;

    expect(Date.now() - started).toBeLessThan(29_000);
    expect(seen).toHaveLength(1);
  });

  it('waits as long as the rate limit may ask for, which is 61 seconds', async () => {
    const { api } = await misbehaving(limited({ 'retry-after': '61' }));
    const caller = new AbortController();
    const asked = api.createContact({ ...ana, signal: caller.signal });

    const first = await Promise.race([
      asked.catch((error: Error) => error.name),
      new Promise((resolve) => setTimeout(resolve, 1_000, 'waits')),
    ]);
    caller.abort(new Error('enough'));

    expect(first).toBe('waits');
    await expect(asked).rejects.toThrow('enough');
  });

  it('passes on fields and enum values that it does not know', async () => {
    const newer = { id: 'cmp_1', status: 'hibernating', mood: 'good' };
    const { api } = await misbehaving(answer(200, newer));

    expect(await api.getCampaign({ path: { id: 'cmp_1' } })).toEqual(newer);
  });
});
