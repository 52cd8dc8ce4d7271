import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../src/gateway/cloud-api/gateway.ts';

let server: Server;
let gateway: CloudApiGateway;
afterEach(async () => {
  await gateway.close();
  server.close();
});

/** A business account's pages of templates, by the cursor that asks for them: '' for the first. */
async function serve(page: (after: string) => object): Promise<void> {
  server = createServer((req, res) => {
    const after = new URL(req.url ?? '', 'http://graph').searchParams.get('after') ?? '';
    res.setHeader('content-type', 'application/json').end(JSON.stringify(page(after)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = createCloudApiGateway({ baseUrl, version: 'v23.0', deadlineMs: 10_000 });
}

const template = (name: string, odd: object = {}) => ({
  name,
  language: 'pt_BR',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [],
  ...odd,
});
const paging = (after: string, next = {}) => ({ cursors: { before: 'A', after }, ...next });
const next = { next: 'https://graph.facebook.com/v23.0/1/message_templates?after=B' };
const read = () => gateway.templates({ id: '1', accessToken: 'token' });

describe('the templates of a business account', () => {
  it('are read to the last page, however few are on one', async () => {
    const pages: Record<string, object> = {
      '': { data: [template('um')], paging: paging('B', next) },
      B: { data: [], paging: paging('C', next) },
      C: { data: [template('dois')], paging: paging('D') },
    };
    await serve((after) => pages[after] ?? {});

    expect((await read()).map(({ name }) => name)).toEqual(['um', 'dois']);
  });

  it('are none rather than some where the pages have no end', async () => {
    await serve(() => ({ data: [template('um')], paging: paging('B', next) }));

    await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('are read beside one with an odd category and odd components', async () => {
    const odd = template('dois', { category: null, components: null });
    await serve(() => ({ data: [template('um'), odd], paging: paging('B') }));

    expect(await read()).toEqual([
      template('um'),
      template('dois', { category: '', components: [] }),
    ]);
  });
});
