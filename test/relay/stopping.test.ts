import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { createCloudApiGateway } from '../../src/gateway/cloud-api/gateway.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aFile } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, stop, anEndpointOf } = relayScene();

/** A WhatsApp that answers no list of templates, ends no file and takes none. */
let whatsApp: Server;
let origin: string;
const asked = new Set<string>();
beforeAll(async () => {
  whatsApp = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    asked.add(path);
    if (path === '/v23.0/the-file')
      response.end(JSON.stringify({ url: `${origin}/bytes`, mime_type: 'image/jpeg' }));
    if (path === '/bytes') response.writeHead(200, { 'content-length': '9' }).write('half');
  });
  whatsApp.listen(0, '127.0.0.1');
  await once(whatsApp, 'listening');
  origin = `http://127.0.0.1:${(whatsApp.address() as AddressInfo).port}`;
});
afterAll(() => {
  whatsApp.closeAllConnections();
  whatsApp.close();
});

it('waits for no file and no list of WhatsApp when it stops, and takes nothing meanwhile', async () => {
  const { ctx, workspaceId } = await anEndpointOf();
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const contactId = (await aContact(ctx)).id;
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const file = { kind: 'image', providerId: 'the-file', name: '', type: 'image/jpeg' } as const;
  await transact(ctx, (tx) => expectMedia(tx, { ...file, numberId, conversationId }));
  const relay = await start({ whatsAppUrl: origin });
  await eventually(async () => asked.has('/bytes'));
  await eventually(async () => asked.has(`/v23.0/${phoneNumberId}/message_templates`));

  const began = Date.now();
  const stopped = stop(relay);
  await sentEvents(scene.database, workspaceId);
  await stopped;

  // A list has a minute here, and a file two.
  expect(Date.now() - began).toBeLessThan(45_000);
  expect(scene.receiver.received).toEqual([]);
  const [fetch] = await inWorkspace(scene.database, workspaceId, (sql) =>
    sql.rows('select tries, not_before <= now() as due from media_fetches'),
  );
  expect(fetch).toEqual({ tries: 0, due: true });
});

it.each([
  ['begun', false],
  ['not begun', true],
])(
  'counts an upload that it has %s, when it stops, neither to the message nor to the number',
  async (_, late) => {
    const { ctx, workspaceId } = await anEndpointOf();
    const { id: numberId, phoneNumberId } = await aNumber(ctx);
    const contactId = (await aContact(ctx)).id;
    const conversationId = await aConversation(ctx, { numberId, contactId });
    const mediaId = await aFile(ctx);
    await transact(ctx, (tx) =>
      queueMessage(tx, { conversationId, source: 'member', text: '', mediaId }),
    );
    const real = createCloudApiGateway({ baseUrl: origin, version: 'v23.0' });
    const path = `/v23.0/${phoneNumberId}/media`;
    const upload: typeof real.upload = async (number, file, signal) => {
      // Another test's message may be due as well.
      if (late && number.id === phoneNumberId && signal) {
        asked.add(path);
        if (!signal.aborted) await once(signal, 'abort');
      }
      return real.upload(number, file, signal);
    };
    const gateway = { ...real, upload };
    const relay = await start({ whatsAppUrl: origin, parts: { gateway } });
    await eventually(async () => asked.has(path));

    await stop(relay);
    await real.close();

    const [kept] = await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows(
        `select m.status, o.attempts, (select count(*)::int from pacers) as paced
       from outgoing_messages o join messages m on m.id = o.message_id`,
      ),
    );
    expect(kept).toEqual({ status: 'queued', attempts: 0, paced: 0 });
  },
);
