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

describe('the query of a list', () => {
  const get = (query: string): Promise<Reply> =>
    door.api.call('GET', `/api/v1/notes${query}`, { key });

  it.each(['-1', '1e2', '0x10', '%205%20', '', '%D9%A5', '5.0', '+5'])(
    'cannot read the limit %p',
    async (limit) => {
      expect(outcome(await get(`?limit=${limit}`))).toEqual([400, 'bad_request']);
    },
  );

  it.each(['0', '101', '999', '000', '1000'])('does not take the limit %s', async (limit) => {
    expect(outcome(await get(`?limit=${limit}`))).toEqual([422, 'validation']);
  });

  it.each(['1', '100', '050'])('takes the limit %s', async (limit) => {
    expect((await get(`?limit=${limit}`)).status).toBe(200);
  });

  it.each(['?limit=1&limit=2', '?name=%00', '?name=%E0%A4%A', '?%zz=1', '?name=%ff'])(
    'cannot read %s',
    async (query) => {
      expect(outcome(await get(query))).toEqual([400, 'bad_request']);
    },
  );

  it.each(['limit[]', '__proto__', 'toString', 'organization_id', 'access_token', 'Name'])(
    'knows no parameter %s',
    async (name) => {
      const reply = await get(`?${name}=1`);

      expect(reply.status).toBe(422);
      expect(reply.body.error.details).toMatchObject([{ path: name, rule: 'unknown_parameter' }]);
    },
  );

  it('says once which parameters there are', async () => {
    const reply = await get('?nome=1&pagina=2');

    expect(reply.body.error.details).toEqual([
      {
        path: 'nome',
        rule: 'unknown_parameter',
        message: 'There is no such parameter.',
        allowed: ['name', 'limit', 'cursor'],
      },
      { path: 'pagina', rule: 'unknown_parameter', message: 'There is no such parameter.' },
    ]);
  });

  it('refuses parameters on calls that have none', async () => {
    const reply = await door.api.call('POST', '/api/v1/notes?dry_run=1', {
      key,
      body: { name: 'q' },
    });

    expect(reply.body.error.details).toMatchObject([
      { path: 'dry_run', rule: 'unknown_parameter' },
    ]);
  });

  it('compares text literally', async () => {
    await post({ name: 'percent' });

    expect((await get('?name=%25')).body.data).toEqual([]);
    expect((await get("?name=' or 1=1 --")).body.data).toEqual([]);
  });
});
