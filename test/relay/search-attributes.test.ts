import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { examine } from '../../src/cli/commands/doctor.ts';
import { connectTemporal, type Temporal } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';

const PERMISSION_DENIED = '7';
const UNIMPLEMENTED = '12';
const MISSING =
  'WmsWorkspaceId (Keyword), WmsResourceId (Keyword), WmsStage (Keyword), WmsNextAt (Datetime)';

let refusal = PERMISSION_DENIED;

/** Answers every call with an empty message, and lets nobody add anything, as a hosted Temporal does. */
let hosted: Http2Server;
let temporal: Temporal;
beforeAll(async () => {
  hosted = createServer().on('stream', (stream, headers) => {
    const isRefused = String(headers[':path']).endsWith('/AddSearchAttributes');
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': isRefused ? refusal : '0' }),
    );
    stream.end(isRefused ? undefined : Buffer.alloc(5));
  });
  await new Promise<void>((resolve) => hosted.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(hosted.address() as AddressInfo).port}`;
  temporal = connectTemporal({ address, namespace: 'default' });
});
afterAll(async () => {
  await temporal.close();
  hosted.close();
});

it.each([
  ['nobody may add search attributes', PERMISSION_DENIED],
  ['search attributes cannot be added from here', UNIMPLEMENTED],
])('Where %s, the log of a worker names those that a person must make', async (_, status) => {
  refusal = status;

  const registering = registerSearchAttributes(temporal.connection, 'default');

  await expect(registering).rejects.toThrow(
    `Temporal lacks the search attributes ${MISSING}, and lets nobody add them from here: make them in its UI.`,
  );
});

it('wms doctor names them with their kinds, too', async () => {
  const findings = await examine({ TEMPORAL_ADDRESS: temporal.address.address });

  expect(findings.find(({ check }) => check === 'search attributes')?.says).toBe(
    `${MISSING} are missing: a worker registers them when it starts, except with Temporal Cloud, where you make them.`,
  );
});
