import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSpool, type Spool } from '../../src/http/body/spool.ts';
import { aCredential } from '../support/credentials.ts';
import { everyRoute } from '../support/every-route.ts';
import { type OpenDoor, openDoor, sendRaw } from '../support/http.ts';

let door: OpenDoor;
beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
});
afterAll(() => door.close());

describe('the places for files that arrive', () => {
  it('are eight for one workspace, however many keys it has', async () => {
    const open: Spool[] = [];
    const take = (organizationId: string, credentialId: string): Promise<unknown> =>
      openSpool({ organizationId, credentialId }).then((spool) => open.push(spool));
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

    expect(await sendRaw(door.api.port, head + form, 5_000)).toContain('"code":"forbidden"');
  });
});
