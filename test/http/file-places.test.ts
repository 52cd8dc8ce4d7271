import { describe, expect, it } from '@jest/globals';
import { openSpool, type Spool } from '../../src/http/body/spool.ts';
import { aCredential } from '../support/credentials.ts';
import { everyRoute } from '../support/every-route.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aFile } from '../support/factories/media.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, sendRaw } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';

const door = opened(() => openDoor({ routes: everyRoute }));

describe('the places for files that arrive', () => {
  it('are eight for one workspace, however many keys it has', async () => {
    const open: Spool[] = [];
    async function* byte() {
      yield Buffer.from('a');
    }
    const take = async (organizationId: string, credentialId: string): Promise<void> => {
      const spool = openSpool({ organizationId, credentialId });
      await spool.keep('a.txt', 'text/plain', byte());
      open.push(spool);
    };
    for (const key of ['key_1', 'key_2']) for (let n = 0; n < 4; n += 1) await take('org_1', key);

    await expect(take('org_1', 'key_3')).rejects.toMatchObject({ code: 'rate_limited' });
    await take('org_2', 'key_4');
    for (const spool of open.splice(0)) await spool.close();
    await take('org_1', 'key_3');
    for (const spool of open) await spool.close();
  });

  it('are none for a key without the scope: it is refused before its file arrives', async () => {
    const { key } = await aCredential(door.database, { scopes: ['contacts:read'] });
    const head = `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`;
    const form = 'Content-Type: multipart/form-data; boundary=a\r\nContent-Length: 999\r\n\r\n--a';

    expect(await sendRaw(door.api.port, head + form)).toContain('"code":"forbidden"');
  });
});

/** More than the buffers of a connection take in: the rest waits for the reader. */
const LARGE = Buffer.concat([
  Buffer.from('\0\0\0\x18ftypisom\0\0\0\0'),
  Buffer.alloc(14 * 1024 ** 2),
]);

describe('the places for files that are downloaded', () => {
  it('are sixteen for one key, and free again when a reader leaves or has everything', async () => {
    const { ctx } = await aWorkspace(door.database);
    const { key } = await anApiKey(ctx);
    const { key: other } = await anApiKey(ctx);
    const large = await aFile(ctx, LARGE);
    const small = await aFile(ctx);
    const leave = new AbortController();
    const get = (id: string, by: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${door.api.url}/api/v1/media/${id}/content`, {
        headers: { authorization: `Bearer ${by}` },
        signal: leave.signal,
        ...init,
      });
    // Null when the connection was one that just then ended, as those do that nobody uses for a while.
    const statusOf = async (reply: Promise<Response>): Promise<number | null> => {
      const answer = await reply.catch(() => null);
      await answer?.body?.cancel();
      return answer?.status ?? null;
    };

    const slow = await Promise.all(Array.from({ length: 16 }, () => get(large, key)));
    expect(new Set(slow.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await get(small, key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.text()).toContain('You can download at most 16 files at once.');
    await eventually(async () => (await statusOf(get(small, other))) === 200);

    expect((await slow[0]?.arrayBuffer())?.byteLength).toBe(LARGE.length);
    await eventually(async () => (await statusOf(get(small, key))) === 200);
    leave.abort();
    const all = (): Promise<(number | null)[]> =>
      Promise.all(
        Array.from({ length: 16 }, () =>
          statusOf(get(small, key, { method: 'HEAD', signal: null })),
        ),
      );
    await eventually(async () => (await all()).every((status) => status === 200));
  });
});
