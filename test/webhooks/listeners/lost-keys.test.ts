import { describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { openListener } from '../../../src/webhooks/listeners/service.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { openDoor } from '../../support/http.ts';
import { opened } from '../../support/opened.ts';

const door = opened(() => openDoor({ routes: [] }));

describe('a listener whose secret nothing opens any more', () => {
  const other = `other:${Buffer.alloc(32, 9).toString('base64')}`;
  const wish = { url: 'http://localhost:4000/hooks', events: ['message.sent'] };

  it('is the same with a new secret once the key is declared lost, and not before', async () => {
    const { ctx } = await aWorkspace(door.database);
    const first = await openListener(ctx, wish, testKeyring);

    await expect(openListener(ctx, wish, createKeyring(other))).rejects.toMatchObject({
      code: 'unavailable',
    });
    const lost = createKeyring(`${other},test:lost`);
    const renewed = await openListener(ctx, wish, lost);

    expect(renewed.id).toBe(first.id);
    expect(renewed.secret).not.toBe(first.secret);
    expect((await openListener(ctx, wish, lost)).secret).toBe(renewed.secret);
  });
});
